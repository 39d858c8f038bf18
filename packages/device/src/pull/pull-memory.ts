import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { FileEntry } from '@farhand/protocol/methods/files'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { z } from 'zod'

const Pulled = z.object({
  url: z.string(),
  at: z.object({ project: ProjectId, task: TaskId, run: RunId }),
  files: z.array(z.tuple([WorkspacePath, FileEntry])),
})

/** What was last pulled into a folder: from which run, and each file's version. */
export type Pulled = z.infer<typeof Pulled>

/** The record of what was pulled into a folder, in the state folder. */
export class PullMemory {
  readonly place: string

  constructor(state: string, folder: string) {
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 24)
    this.place = path.join(state, 'pulls', name)
  }

  read(): Pulled | null {
    try {
      return Pulled.parse(JSON.parse(readFileSync(this.#file, 'utf8')))
    } catch {
      // No record: then no file counts as pulled, so none is overwritten or deleted.
      return null
    }
  }

  /** Atomic: a crash leaves the old record. */
  save(pulled: Pulled): void {
    mkdirSync(this.place, { recursive: true, mode: 0o700 })
    const draft = `${this.#file}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify(pulled)}\n`, { mode: 0o600 })
    renameSync(draft, this.#file)
  }

  get #file(): string {
    return path.join(this.place, 'pulled.json')
  }
}
