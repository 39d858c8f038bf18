import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import type { HubTokens } from '@farhand/sync/state/hub-tokens'
import { lockHolder, lockState } from '@farhand/sync/state/lock-state'
import { isWithin, StateFolder } from '@farhand/sync/state/state-folder'
import { z } from 'zod'

const handedIn = 'handed-in'
const gone = '.gone-'

const Remembered = z.object({
  url: z.string(),
  /** Older ones have it in here. */
  token: z.string().optional(),
  at: z.object({ project: ProjectId, task: TaskId, run: RunId }),
  agent: z.string(),
  /** Empty if nothing of the run is in a folder here. */
  workspace: z.string(),
  /** The kind that was asked for, if its agent works in a sandbox of the hub's and only its files are here. */
  sandbox: z.string().optional(),
  /** The kind that it worked in before it came here. */
  cameFrom: z.string().optional(),
  /** The git worktree that was made for it, and from which repository. */
  worktree: z.object({ root: z.string(), branch: z.string(), of: z.string(), head: z.string() }).optional(),
})

/** A run that was begun here or whose agent has worked here, and all it takes to go on with that. */
export type KnownRun = Omit<z.infer<typeof Remembered>, 'token'> & {
  /** Who we are at that hub, looked up when somebody wants to know. */
  readonly token: string
}

/** What this machine remembers of the runs that it has hosted. It may hold tokens: nobody but its owner may read it. */
export class LocalRuns {
  readonly #root: string
  readonly #links: StateFolder

  constructor(stateFolder: string) {
    this.#links = new StateFolder(stateFolder)
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
    return read(path.join(this.placeOf(run), 'run.json'), this.#links.tokens)
  }

  all(): KnownRun[] {
    return namesIn(this.#root).flatMap(
      (name) => read(path.join(this.#root, name, 'run.json'), this.#links.tokens) ?? [],
    )
  }

  /** The runs that have had their files in this folder or one around it; the one that was begun last comes first. */
  of(place: string): KnownRun[] {
    return this.all()
      .filter(({ workspace }) => workspace !== '' && isWithin(workspace, place))
      .map((known) => ({ known, at: this.#begunAt(known.at.run) }))
      .sort((one, other) => other.at - one.at)
      .map(({ known }) => known)
  }

  #begunAt(run: RunId): number {
    return statSync(path.join(this.placeOf(run), 'run.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  }

  /** All runs of which anything is here. */
  names(): RunId[] {
    return namesIn(this.#root).flatMap((name) => RunId.safeParse(name).data ?? [])
  }

  /** When this machine learnt that the run is closed; null if it has not. */
  closedAt(run: RunId): number | null {
    try {
      const noted = Date.parse(readFileSync(this.#closed(run), 'utf8'))
      return Number.isNaN(noted) ? null : noted
    } catch {
      // Not there: it is open, or nobody knows.
      return null
    }
  }

  noteClosed(run: RunId, at: Date): void {
    writeFileSync(this.#closed(run), at.toISOString(), { mode: 0o600 })
  }

  noteOpen(run: RunId): void {
    rmSync(this.#closed(run), { force: true })
  }

  /** A runner begins in this folder: what it is going to say is not in the log yet. */
  began(run: RunId, workspace: string): void {
    this.noteOpen(run)
    rmSync(path.join(this.runnerState(run, workspace), handedIn), { force: true })
  }

  /** A runner has ended with the run, and all it had to say is in the log. */
  ended(run: RunId, workspace: string, at: Date): void {
    try {
      writeFileSync(path.join(this.runnerState(run, workspace), handedIn), '', { mode: 0o600 })
      this.noteClosed(run, at)
    } catch {
      // A full disk, maybe. Whoever prunes next asks the hub.
    }
  }

  /** The journals of runners that have worked on this run here, and whether each is noted to be in the log. */
  journals(run: RunId): { journal: string; isNoted: boolean }[] {
    return namesIn(this.placeOf(run))
      .map((name) => path.join(this.placeOf(run), name))
      .filter((state) => existsSync(path.join(state, 'runner')))
      .map((state) => ({
        journal: path.join(state, 'runner', 'journal'),
        isNoted: existsSync(path.join(state, handedIn)),
      }))
  }

  /** Forgets a closed run if this finds nothing against it, unless someone is at work on it or opens it again. */
  async remove(run: RunId, mayBe: () => Promise<boolean>): Promise<void> {
    const place = this.placeOf(run)
    const lock = lockState(place)
    if ('holder' in lock) return
    try {
      if (!(await mayBe()) || this.closedAt(run) === null) return
      // The folder itself may be linked to another run by now; what it remembers of this one is all that goes.
      const known = this.find(run)
      if (known?.sandbox !== undefined && known.workspace !== '')
        rmSync(this.#links.memoryOf(known.workspace, known.at), { recursive: true, force: true })
      // In one step: half of it would be worse than all or nothing for a runner that begins now.
      renameSync(place, path.join(this.#root, `${gone}${run}.${process.pid}`))
    } finally {
      lock.release()
    }
    this.clearAway()
  }

  /** Finishes what `remove` was kept from finishing. */
  clearAway(): void {
    for (const name of namesIn(this.#root))
      if (name.startsWith(gone)) rmSync(path.join(this.#root, name), { recursive: true, force: true })
  }

  /** Remembers a run; a crash meanwhile leaves what was there before. */
  save({ token, ...known }: KnownRun): void {
    if (token !== '') this.#links.tokens.keep(known.url, token)
    const place = this.placeOf(known.at.run)
    mkdirSync(place, { recursive: true, mode: 0o700 })
    const file = path.join(place, 'run.json')
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify(known)}\n`, { mode: 0o600 })
    renameSync(draft, file)
    this.noteOpen(known.at.run)
  }

  #closed(run: RunId): string {
    return path.join(this.placeOf(run), 'closed')
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

function read(file: string, tokens: HubTokens): KnownRun | null {
  try {
    const { token: old = '', ...known } = Remembered.parse(JSON.parse(readFileSync(file, 'utf8')))
    return {
      ...known,
      get token() {
        return tokens.of(known.url) ?? old
      },
    }
  } catch {
    // Not there, or not ours.
    return null
  }
}
