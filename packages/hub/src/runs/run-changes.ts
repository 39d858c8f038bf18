import type { ListedRun, RunNow } from '@farhand/protocol/schemas/api'
import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import { type NowParts, runNow, runsAsListed } from './run-now.ts'

/** Takes a run as it is listed now; what it cannot take it must ask for again, as a whole. */
export type RunWatcher = (run: ListedRun) => void

/** A burst of events is one look: people do not read faster, and an agent that writes says much of which no list tells. */
const gatherMs = 100

/**
 * Tells those who have a list of runs before them what in it has changed. A run is looked at only when its log has grown
 * or somebody says so, and what is in memory is enough for that look; while nobody watches, nothing is done at all.
 */
export class RunChanges {
  readonly #parts: NowParts
  readonly #onError: (error: unknown) => void
  readonly #watchers = new Map<UserId, Set<RunWatcher>>()
  readonly #grown = new Set<RunId>()
  /** What changed of these is not in their logs. */
  readonly #touched = new Set<RunId>()
  /** How each stood when it was last told of. */
  readonly #told = new Map<RunId, string>()
  #unsubscribe: (() => void) | null = null
  #timer: NodeJS.Timeout | null = null
  #telling: Promise<void> = Promise.resolve()

  constructor(parts: NowParts & { onError: (error: unknown) => void }) {
    this.#parts = parts
    this.#onError = parts.onError
  }

  /** Tells this watcher of each change in the runs of a user from now on, until the answer is called. */
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

  /** Something that a list says of this run may have changed, and its log does not tell. */
  touched(run: RunId): void {
    if (this.#watchers.size > 0) this.#gather(run, this.#touched)
  }

  /** As `touched`, of what its log tells and of its runner. */
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
      // One after the other: whoever is told takes the last word on a run for how it is.
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
    for (const { owner, run } of await runsAsListed(this.#parts, changed)) {
      this.#told.set(run.id, shown(run.now))
      for (const watcher of this.#watchers.get(owner) ?? []) watcher(run)
    }
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

/** What a list shows of it: not each event and each moment of activity, or an agent at work would be told of all the time. */
function shown(now: RunNow | null): string {
  if (now === null) return ''
  const { lastEventId, lastActivityAt: _, ...rest } = now
  return JSON.stringify({ ...rest, isBegun: lastEventId > 0 })
}
