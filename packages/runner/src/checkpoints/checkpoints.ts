import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { within } from '@farhand/kit/within'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { sizesInEvent } from '@farhand/sync/engine/sizes-in-event'
import { CheckpointMaker } from './checkpoint-maker.ts'
import { CheckpointReporter, inWords } from './checkpoint-reporter.ts'
import { CheckpointRepository } from './git/checkpoint-repository.ts'
import type { CloneFrom } from './git/clone.ts'
import { CommitWatch } from './git/commit-watch.ts'
import { Git, isNoProgram } from './git/git.ts'
import { gitFolder, gitSign } from './git/git-state.ts'
import { importAhead } from './import-bundles.ts'
import { LoggedFiles } from './logged-files.ts'
import { changesSince, type Recovered, recover } from './recovery.ts'
import { msToCheckpoint, pace } from './when-to-checkpoint.ts'

export type CheckpointsParts = {
  /** The workspace. */
  root: string
  /** A folder for checkpoints only, outside of the workspace. */
  state: string
  /** The sync engine's state of the workspace. */
  memory: string
  hub: Hub
  at: RunAddress
  /** The agent's environment: its PATH for git, and its network access for a clone. */
  env: Readonly<Record<string, string>>
  /** What an empty run is cloned from, if no device brings a base. */
  clone: CloneFrom | null
  /** How often to look for new commits of the agent; 5 s by default. */
  lookEveryMs?: number
  emit: (event: Notification) => void
  signal: AbortSignal
}

/** A run's settings for checkpoints. */
export type CheckpointsOptions = Pick<CheckpointsParts, 'clone' | 'lookEveryMs'>

const lastMs = 60_000
const defaultLookMs = 5_000
const longMs = 1_000
const mostNamed = 1_000

type RunnerLike = Pick<CheckpointsParts, 'state' | 'hub' | 'at' | 'signal'> & {
  checkpoints?: CheckpointsOptions
  agent: { command: { cwd: string; env: CheckpointsParts['env'] } }
}

/**
 * Saves an agent's workspace while the agent works: commits of the files as the log has them and of the repository's
 * state, in a repository of our own, each stored at the hub. Restores the workspace in an empty sandbox. It must be
 * given every event in order. Without git there are no checkpoints, which is reported once.
 */
export class Checkpoints {
  readonly #parts: CheckpointsParts
  readonly #log = new LoggedFiles()
  readonly #reporter: CheckpointReporter
  readonly #commits: CommitWatch
  #repository: CheckpointRepository | null = null
  #ahead: Promise<void> | null = null
  #recovered: Recovered = { is: 'nothing' }
  /** Set once the workspace is in step with the log. */
  #maker: CheckpointMaker | null = null
  #changes = new Map<WorkspacePath, FileEntry | null>()
  #bytes = 0
  #changedAt: number | null = null
  #lastAt: number | null = null
  #isTurnOver = false
  #hasCommits = false
  #sign: string | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #looking: ReturnType<typeof setInterval> | undefined
  #making: Promise<void> = Promise.resolve()

  constructor(parts: CheckpointsParts) {
    this.#parts = parts
    this.#reporter = new CheckpointReporter(parts.emit)
    this.#commits = new CommitWatch(parts.root)
    parts.signal.addEventListener('abort', () => this.#stop(), { once: true })
  }

  /** The checkpoints of a runner, if it has any. */
  static of(runner: RunnerLike, emit: CheckpointsParts['emit']): Checkpoints | null {
    const { checkpoints, agent, hub, at, signal } = runner
    if (!checkpoints) return null
    const { cwd: root, env } = agent.command
    const [state, memory] = [join(runner.state, 'checkpoints'), join(runner.state, 'files')]
    return new Checkpoints({ ...checkpoints, root, env, state, memory, hub, at, emit, signal })
  }

  /** Takes an event of the log; ignores one it has had, or one that comes too early. */
  take(event: SeenEvent): void {
    const changes = this.#log.take(event)
    if (changes.length === 0 || !this.#maker) return
    for (const { path, entry } of changes) this.#changes.set(path, entry)
    for (const [, size] of sizesInEvent(event.notification)) this.#bytes += size
    this.#changed()
  }

  /** While the runner waits for the base: downloads the part that is announced. May be called repeatedly. */
  fetchAhead(): void {
    const { coming } = this.#log.bundles
    if (!coming || this.#ahead) return
    this.#ahead = this.#open().then(async () => {
      if (this.#repository) await importAhead(this.#repository, coming, this.#own())
    })
    this.#ahead.catch(() => {})
  }

  /** Restores the workspace if it is new here; to be called before anything else writes to it. */
  async restore(): Promise<void> {
    await this.#ahead?.catch(() => {})
    if (!this.#repository) await this.#open()
    if (!this.#repository) return
    const { repository, scratch } = this.#own()
    this.#recovered = await recover({
      ...this.#parts,
      repository,
      scratch,
      log: this.#log,
      reporter: this.#reporter,
    })
  }

  async #open(): Promise<void> {
    const { root, state, env } = this.#parts
    const git = new Git(env.PATH ?? '/usr/local/bin:/usr/bin:/bin')
    mkdirSync(root, { recursive: true })
    const borrowed = join(root, '.git', 'objects')
    try {
      this.#repository = await CheckpointRepository.open(git, join(state, 'repository'), borrowed)
    } catch (error) {
      if (!isNoProgram(error)) throw error
      this.#reporter.warn(
        'There is no git on the PATH: no checkpoints are made, and a new sandbox will have no repository.',
      )
      return
    }
    mkdirSync(this.#own().scratch, { recursive: true, mode: 0o700 })
  }

  /** Starts making checkpoints: the workspace is in step with the log. */
  begin(): void {
    if (!this.#repository) return
    const { root, lookEveryMs = defaultLookMs } = this.#parts
    const { bundles } = this.#log
    this.#repository.git.isNice = true
    this.#maker = new CheckpointMaker(this.#own(), this.#log, this.#reporter)
    const recovered = this.#recovered
    const from = recovered.is === 'restored' ? recovered.from : bundles.newest
    const isHere = from !== null && this.#repository.has(from.sha)
    if (isHere) this.#maker.beginFrom(from)
    this.#changes = changesSince(
      this.#log,
      !isHere ? 0 : recovered.is === 'restored' ? recovered.upTo : from.upTo,
    )
    if (recovered.is === 'restored')
      for (const path of recovered.differs) this.#changes.set(path, this.#log.tree.entry(path) ?? null)
    else if (isHere)
      for (const path of from.missing ?? []) this.#changes.set(path, this.#log.tree.entry(path) ?? null)
    this.#commits.begin(bundles.lastCommit)
    if (recovered.is === 'restored') {
      recovered.end()
      this.#sign = gitSign(root)
    }
    if (recovered.is === 'cloned') this.#tellBase()
    // A repository that is in no bundle would be lost with the sandbox.
    this.#hasCommits = gitFolder(root) !== null && !(isHere && (from.kind === 'base' || from.state))
    if (this.#changes.size > 0 || this.#hasCommits) this.#changed()
    this.#looking = setInterval(() => this.#look(), lookEveryMs)
  }

  /** Called when a turn is over, as that is a good moment for a checkpoint. */
  turnEnded(): void {
    if (!this.#maker) return
    this.#look()
    this.#isTurnOver = true
    if (gitSign(this.#parts.root) !== this.#sign) this.#changed()
    else this.#plan()
  }

  /** Makes the last checkpoint of this sandbox; resolves when it is stored, or after `mostMs`. */
  async last(mostMs = lastMs): Promise<void> {
    if (!this.#maker) return
    this.#look()
    this.#stop()
    if ((await within(mostMs, this.#make(0))) === 'late')
      this.#reporter.warn(`The last checkpoint was not done within ${mostMs / 1000} s.`)
  }

  #own() {
    const { root, state, hub, at, signal } = this.#parts
    return { repository: this.#repository!, root, hub, at, scratch: join(state, 'scratch'), signal }
  }

  #tellBase(): void {
    const { sha, branch } = this.#commits.head
    const { url } = this.#parts.clone!
    if (sha) this.#reporter.emit('git_commit', { kind: 'base', sha, branch, message: `Cloned from ${url}` })
  }

  /** Looks for new commits of the agent. */
  #look(): void {
    const commits = this.#commits.news()
    if (commits.length === 0) return
    const { branch } = this.#commits.head
    for (const { sha, message } of commits.slice(-mostNamed))
      this.#reporter.emit('git_commit', { kind: 'commit', sha, branch, message })
    this.#hasCommits = true
    this.#changed()
  }

  #changed(): void {
    this.#changedAt ??= Date.now()
    this.#plan()
  }

  #plan(): void {
    clearTimeout(this.#timer)
    if (!this.#maker || this.#parts.signal.aborted) return
    let deleted = 0
    // With more changes a checkpoint is due anyway, and this runs at every change.
    if (this.#changes.size < pace.files) for (const entry of this.#changes.values()) if (!entry) deleted += 1
    const ms = msToCheckpoint({
      now: Date.now(),
      lastAt: this.#lastAt,
      changedAt: this.#changedAt,
      files: this.#changes.size,
      bytes: this.#bytes,
      deleted,
      hasCommits: this.#hasCommits,
      isTurnOver: this.#isTurnOver,
    })
    if (ms !== null) this.#timer = setTimeout(() => void this.#make(longMs), ms)
  }

  #stop(): void {
    clearTimeout(this.#timer)
    clearInterval(this.#looking)
  }

  /** One at a time. An error is reported, and the next checkpoint tries again. */
  #make(toldAfterMs: number): Promise<void> {
    this.#making = this.#making.then(async () => {
      const { signal } = this.#parts
      if (signal.aborted || this.#isSame()) return
      const phaseEnds = this.#reporter.phase('checkpointing', toldAfterMs)
      try {
        await this.#makeOne()
        phaseEnds()
      } catch (error) {
        if (signal.aborted) return
        phaseEnds(error)
        this.#reporter.warn(`A checkpoint could not be made: ${inWords(error)}`)
      }
      if (toldAfterMs > 0) this.#plan()
    })
    return this.#making
  }

  #isSame(): boolean {
    const isSame =
      this.#changes.size === 0 && this.#maker!.hasParent && gitSign(this.#parts.root) === this.#sign
    if (isSame) this.#changedAt = null
    return isSame
  }

  async #makeOne(): Promise<void> {
    const sign = gitSign(this.#parts.root)
    const [changes, bytes] = [this.#changes, this.#bytes]
    this.#lastAt = Date.now()
    this.#changes = new Map()
    this.#bytes = 0
    this.#changedAt = null
    this.#isTurnOver = false
    this.#hasCommits = false
    try {
      await this.#maker!.make(changes, this.#log.witness.id)
      this.#sign = sign
    } catch (error) {
      for (const [path, entry] of changes) if (!this.#changes.has(path)) this.#changes.set(path, entry)
      this.#bytes += bytes
      this.#changedAt ??= this.#lastAt
      throw error
    }
  }
}
