import type { ListedRun, RunNow } from '@farhand/protocol/schemas/api'
import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import { usersOfRuns } from '../access/project-members.ts'
import { type NowParts, runNow, runsAsListed } from './run-now.ts'

/** Gets a run as it is listed now. A watcher that misses one must list all runs again. */
export type RunWatcher = (run: ListedRun) => void

/** Events within this time are one check: an agent produces many events that do not change the list. */
const gatherMs = 100

/**
 * Sends changes to the clients that show a list of runs. A run is checked only when its log has grown or another part of the hub reports
 * a change, and the check uses memory only. Without watchers nothing is done.
 */
export class RunChanges {
  readonly #parts: NowParts
  readonly #onError: (error: unknown) => void
  readonly #watchers = new Map<UserId, Set<RunWatcher>>()
  readonly #grown = new Set<RunId>()
  /** Runs with changes that are not in their logs. */
  readonly #touched = new Set<RunId>()
  /** The last state of each run that was sent. */
  readonly #told = new Map<RunId, string>()
  #unsubscribe: (() => void) | null = null
  #timer: NodeJS.Timeout | null = null
  #telling: Promise<void> = Promise.resolve()

  constructor(parts: NowParts & { onError: (error: unknown) => void }) {
    this.#parts = parts
    this.#onError = parts.onError
  }

  /** Calls this watcher for each change in the runs that a user may see, until the returned function is called. */
  watch(user: UserId, watcher: RunWatcher): () => void {
    const watchers = this.#watchers.get(user) ?? new Set()
    this.#watchers.set(user, watchers.add(watcher))
    this.#unsubscribe ??= this.#parts.log.onAnyGrowth((run) => this.#gather(run, this.#grown))
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0 && this.#watchers.get(user) === watchers) this.#watchers.delete(user)
      if (this.#watchers.size === 0) this.#rest()
    }
  }

  /** Reports a change to a run that is not in its log. */
  touched(run: RunId): void {
    if (this.#watchers.size > 0) this.#gather(run, this.#touched)
  }

  /** As `touched`, for changes in its log or of its runner's connection. */
  grown(run: RunId): void {
    if (this.#watchers.size > 0) this.#gather(run, this.#grown)
  }

  stop(): void {
    this.#watchers.clear()
    this.#rest()
  }

  #gather(run: RunId, into: Set<RunId>): void {
    into.add(run)
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      // One after the other: watchers take the last message about a run as its state.
      this.#telling = this.#telling.then(() => this.#tell()).catch(this.#onError)
    }, gatherMs)
  }

  async #tell(): Promise<void> {
    const grown = [...this.#grown].filter((run) => !this.#touched.has(run))
    const changed = [...this.#touched]
    this.#grown.clear()
    this.#touched.clear()
    for (const run of grown) {
      const now = await runNow(this.#parts, run)
      if (this.#told.get(run) !== shown(now)) changed.push(run)
    }
    if (changed.length === 0) return
    for (const [user, runs] of await this.#watchersOf(changed)) {
      for (const run of await runsAsListed(this.#parts, runs, user)) {
        this.#told.set(run.id, shown(run.now))
        for (const watcher of this.#watchers.get(user) ?? []) watcher(run)
      }
    }
  }

  /** The runs of these that each watching user may see. */
  async #watchersOf(changed: readonly RunId[]): Promise<Map<UserId, RunId[]>> {
    const of = new Map<UserId, RunId[]>()
    for (const { run, user } of await usersOfRuns(this.#parts.db, changed)) {
      if (this.#watchers.has(user)) of.set(user, [...(of.get(user) ?? []), run])
    }
    return of
  }

  #rest(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = null
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#told.clear()
    this.#grown.clear()
    this.#touched.clear()
  }
}

/** What a list shows of a run. Without the event id and the time of activity, which change all the time. */
function shown(now: RunNow | null): string {
  if (now === null) return ''
  const { lastEventId, lastActivityAt: _, ...rest } = now
  return JSON.stringify({ ...rest, isBegun: lastEventId > 0 })
}
