import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/ids'
import { lockHolder } from '@farhand/sync/lock-state'
import { z } from 'zod'

const KnownRun = z.object({
  url: z.string(),
  token: z.string(),
  at: z.object({ project: ProjectId, task: TaskId, run: RunId }),
  agent: z.string(),
  workspace: z.string(),
})

/** A run whose agent has worked on this machine, and all it takes to go on with that. */
export type KnownRun = z.infer<typeof KnownRun>

/** What this machine remembers of the runs that it has hosted. It holds tokens: nobody but its owner may read it. */
export class RunsHere {
  readonly #root: string

  constructor(stateFolder: string) {
    this.#root = path.join(stateFolder, 'runs')
  }

  placeOf(run: RunId): string {
    return path.join(this.#root, run)
  }

  /** What must outlive a runner: its journal, and what it has agreed on with the log. Another folder has another one. */
  runnerState(run: RunId, workspace: string): string {
    const name = createHash('sha256').update(workspace).digest('hex').slice(0, 24)
    return path.join(this.placeOf(run), name)
  }

  /** What runners in the background have to say. */
  logOf(run: RunId): string {
    return path.join(this.placeOf(run), 'runner.log')
  }

  /** The process that hosts the agent of this run here and now; null if none does. */
  holder(run: RunId): number | null {
    return lockHolder(this.placeOf(run))
  }

  find(run: RunId): KnownRun | null {
    return read(path.join(this.placeOf(run), 'run.json'))
  }

  all(): KnownRun[] {
    return namesIn(this.#root).flatMap((name) => read(path.join(this.#root, name, 'run.json')) ?? [])
  }

  /** Remembers a run; a crash meanwhile leaves what was there before. */
  save(known: KnownRun): void {
    const place = this.placeOf(known.at.run)
    mkdirSync(place, { recursive: true, mode: 0o700 })
    const file = path.join(place, 'run.json')
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify(known)}\n`, { mode: 0o600 })
    renameSync(draft, file)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // No agent has worked here yet.
    return []
  }
}

function read(file: string): KnownRun | null {
  try {
    return KnownRun.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // Not there, or not ours.
    return null
  }
}
