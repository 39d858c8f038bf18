import { mkdirSync } from 'node:fs'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { GitCommit } from '@farhand/protocol/methods/git'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { numberBefore, type RestorePoint } from './bundle-chain.ts'
import { type CheckpointReporter, inWords } from './checkpoint-reporter.ts'
import { type GitState, gitState, isElsewhere } from './git/git-state.ts'
import type { LoggedFiles } from './logged-files.ts'
import { type CheckpointParts, makeCheckpoint } from './make-checkpoint.ts'

const mostNamed = 1_000

type Changes = ReadonlyMap<WorkspacePath, FileEntry | null>

/** Makes checkpoints, each from the one before, and writes them to the log. */
export class CheckpointMaker {
  readonly #parts: CheckpointParts
  readonly #log: LoggedFiles
  readonly #reporter: CheckpointReporter
  /** The parent commits of the next checkpoint. */
  #parent: { sha: string; state: string | null } | null = null
  #print: string | null = null

  constructor(parts: CheckpointParts, log: LoggedFiles, reporter: CheckpointReporter) {
    this.#parts = parts
    this.#log = log
    this.#reporter = reporter
  }

  /** Makes the next checkpoint from this point, which has everything but the changes that will be given. */
  beginFrom({ sha, state }: RestorePoint): void {
    this.#parent = { sha, state: state ?? null }
  }

  /** Whether there is a parent; else the next checkpoint needs every file. */
  get hasParent(): boolean {
    return this.#parent !== null
  }

  /** Makes a checkpoint, unless neither files nor git have changed. `upTo` is the last event of the changes. */
  async make(changes: Changes, upTo: number): Promise<void> {
    const { repository, scratch, signal } = this.#parts
    mkdirSync(scratch, { recursive: true, mode: 0o700 })
    const { git, isUnread } = await this.#gitState()
    if (changes.size === 0 && this.#parent && this.#print === (git?.print ?? '')) return
    const number = this.#log.bundles.nextNumber
    const after = this.#after(number)
    const parent = this.#parent
    const from = {
      parent: parent?.sha ?? null,
      parentState: parent?.state ?? null,
      after: after?.number ?? 0,
    }
    try {
      const about = this.#log.message
      const toMake = { number, about, upTo, changes, git, ...from, ...(!after && { after: -1 }) }
      const made = await makeCheckpoint(this.#parts, toMake)
      // If the repository could not be read, its last known state is better than none.
      const state = made.state ?? (isUnread ? from.parentState : null)
      this.#tell({ ...made, state }, { upTo, number, git, after: after?.sha ?? null })
    } catch (error) {
      signal.throwIfAborted()
      // Objects borrowed from the agent's repository may be gone: bundle everything again, without them.
      await repository.beginAnew()
      await this.#makeWhole((await this.#gitState()).git, number, error)
    }
    this.#print = git?.print ?? ''
  }

  async #makeWhole(git: GitState | null, number: number, why: unknown): Promise<void> {
    const upTo = this.#log.witness.id
    const changes = new Map([...this.#log.tree.files()].map(({ path, entry }) => [path, entry]))
    const whole = {
      number,
      about: this.#log.message,
      upTo,
      changes,
      parent: null,
      parentState: null,
      after: -1,
    }
    try {
      this.#tell(await makeCheckpoint(this.#parts, { ...whole, git }), { upTo, number, git, after: null })
    } catch (error) {
      this.#parts.signal.throwIfAborted()
      if (!git) throw error
      this.#reporter.warn(`The state of git is not in the checkpoint: ${inWords(why)}`)
      await this.#makeWhole(null, number, error)
    }
  }

  async #gitState(): Promise<{ git: GitState | null; isUnread: boolean }> {
    const { repository, root, scratch, signal } = this.#parts
    try {
      const git = await gitState(repository, root, scratch, signal)
      if (!git && isElsewhere(root))
        this.#reporter.warn('The repository of this workspace is in another folder, and is in no checkpoint.')
      return { git, isUnread: false }
    } catch (error) {
      signal.throwIfAborted()
      this.#reporter.warn(`The state of git is not in the checkpoint: ${inWords(error)}`)
      return { git: null, isUnread: true }
    }
  }

  /** The checkpoint or base on which the new bundle builds; null if the bundle has to be complete. */
  #after(number: number): RestorePoint | null {
    const { repository } = this.#parts
    for (let before = numberBefore(number); before > 0; before -= 1) {
      const point = this.#log.bundles.numbered(before)
      if (point && repository.has(point.sha)) return point
    }
    const { base } = this.#log.bundles
    return base && repository.has(base.sha) ? base : null
  }

  #tell(
    { sha, state, bundle, packIndex, missing }: Awaited<ReturnType<typeof makeCheckpoint>>,
    {
      upTo,
      number,
      git,
      after,
    }: { upTo: number; number: number; git: GitState | null; after: string | null },
  ): void {
    const commit = {
      kind: 'checkpoint' as const,
      sha,
      branch: git?.branch ?? null,
      head: git?.head ?? null,
      message: `Checkpoint ${number}`,
      upTo,
      number,
      bundle,
      ...(packIndex && { packIndex }),
      after,
      state,
      index: git?.staged ?? null,
      ...(missing.length > 0 && { missing: missing.slice(0, mostNamed) }),
    } satisfies GitCommit
    this.#log.bundles.add(commit)
    this.#parent = { sha, state }
    this.#reporter.emit('git_commit', commit)
    this.#reporter.emit('session_checkpoint', { checkpointId: sha })
  }
}
