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

/** What a folder has of a run: from which hub, and each file as it was pulled. */
export type Pulled = z.infer<typeof Pulled>

/** What this machine remembers of folders that runs were pulled into. */
export class PullMemory {
  readonly place: string

  constructor(state: string, folder: string) {
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 24)
    this.place = path.join(state, 'pulls', name)
  }

  /** What was pulled into the folder last; null if nothing was. */
  read(): Pulled | null {
    try {
      return Pulled.parse(JSON.parse(readFileSync(this.#file, 'utf8')))
    } catch {
      // Nothing yet. Without it no file counts as pulled, and none is overwritten or deleted.
      return null
    }
  }

  /** Remembers it; a crash meanwhile leaves what was there before. */
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
