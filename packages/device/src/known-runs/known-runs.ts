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
  /** Only in files of older versions. */
  token: z.string().optional(),
  at: z.object({ project: ProjectId, task: TaskId, run: RunId }),
  agent: z.string(),
  /** The folder with the run's files; empty if there is none. */
  workspace: z.string(),
  /** The kind of sandbox that the user asked for, if the agent works in a sandbox and only the files are here. */
  sandbox: z.string().optional(),
  /** The kind of sandbox in which the agent worked before it came here. */
  cameFrom: z.string().optional(),
  /** The git worktree that was made for the run, and its repository. */
  worktree: z.object({ root: z.string(), branch: z.string(), of: z.string(), head: z.string() }).optional(),
})

/** A run that began on this machine or whose agent has worked here, with all that is needed to go on with it. */
export type KnownRun = Omit<z.infer<typeof Remembered>, 'token'> & {
  /** The user's token for the hub, looked up when it is read. */
  readonly token: string
}

/** What this machine remembers of its runs. The files may hold tokens: only their owner may read them. */
export class KnownRuns {
  readonly #root: string
  readonly #links: StateFolder

  constructor(stateFolder: string) {
    this.#links = new StateFolder(stateFolder)
    this.#root = path.join(stateFolder, 'runs')
  }

  placeOf(run: RunId): string {
    return path.join(this.#root, run)
  }

  /** The state that must outlive a runner: its journal, and what it has agreed on with the log. One for each folder. */
  runnerState(run: RunId, workspace: string): string {
    const name = createHash('sha256').update(workspace).digest('hex').slice(0, 24)
    return path.join(this.placeOf(run), name)
  }

  /** The output of runners in the background. */
  logOf(run: RunId): string {
    return path.join(this.placeOf(run), 'runner.log')
  }

  /** The id of the process that hosts the agent of this run on this machine now; null if none does. */
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

  /** The runs that have had their files in this folder or in one around it; the newest first. */
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

  /** All runs of which this machine keeps anything. */
  names(): RunId[] {
    return namesIn(this.#root).flatMap((name) => RunId.safeParse(name).data ?? [])
  }

  /** When this machine learnt that the run is closed, in ms; null if it has not. */
  closedAt(run: RunId): number | null {
    try {
      const noted = Date.parse(readFileSync(this.#closed(run), 'utf8'))
      return Number.isNaN(noted) ? null : noted
    } catch {
      // No such file: the run is open, or its state is unknown.
      return null
    }
  }

  noteClosed(run: RunId, at: Date): void {
    writeFileSync(this.#closed(run), at.toISOString(), { mode: 0o600 })
  }

  noteOpen(run: RunId): void {
    rmSync(this.#closed(run), { force: true })
  }

  /** A runner begins in this folder: its journal may hold events that are not in the log yet. */
  began(run: RunId, workspace: string): void {
    this.noteOpen(run)
    rmSync(path.join(this.runnerState(run, workspace), handedIn), { force: true })
  }

  /** The run is closed, and all events of its runner in this folder are in the log. */
  ended(run: RunId, workspace: string, at: Date): void {
    try {
      writeFileSync(path.join(this.runnerState(run, workspace), handedIn), '', { mode: 0o600 })
      this.noteClosed(run, at)
    } catch {
      // For example a full disk. The next pruning asks the hub.
    }
  }

  /** The journals of runners that have worked on this run here, and for each whether a note says that the log has all of it. */
  journals(run: RunId): { journal: string; isNoted: boolean }[] {
    return namesIn(this.placeOf(run))
      .map((name) => path.join(this.placeOf(run), name))
      .filter((state) => existsSync(path.join(state, 'runner')))
      .map((state) => ({
        journal: path.join(state, 'runner', 'journal'),
        isNoted: existsSync(path.join(state, handedIn)),
      }))
  }

  /** Forgets a closed run if `mayBe` agrees, unless a process works on the run or it was opened again. */
  async remove(run: RunId, mayBe: () => Promise<boolean>): Promise<void> {
    const place = this.placeOf(run)
    const lock = lockState(place)
    if ('holder' in lock) return
    try {
      if (!(await mayBe()) || this.closedAt(run) === null) return
      // The folder may be linked to another run by now: only its memory of this run is removed.
      const known = this.find(run)
      if (known?.sandbox !== undefined && known.workspace !== '')
        rmSync(this.#links.memoryOf(known.workspace, known.at), { recursive: true, force: true })
      // In one step: a runner that begins now must find all of it or nothing.
      renameSync(place, path.join(this.#root, `${gone}${run}.${process.pid}`))
    } finally {
      lock.release()
    }
    this.clearAway()
  }

  /** Removes what an interrupted `remove` has left. */
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
    // There is no such folder before the first run.
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
    // No such file, or not a file of ours.
    return null
  }
}
