import type { Hub } from '@farhand/client/requests/hub'
import { RunId } from '@farhand/protocol/wire/ids'
import { browserBudget } from '../connection/connection-budget.ts'
import { streamsOverSockets } from '../connection/stream-socket.ts'
import { browserWake } from '../connection/wake.ts'
import { memoryOutbox, type Outbox } from '../outbox/outbox.ts'
import type { TabLock } from '../outbox/pending-actions.ts'
import { LiveRuns } from '../run-list/live-runs.ts'
import { frameThrottle } from '../scheduling/frame-throttle.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { indexedOutbox } from '../storage/indexed-outbox.ts'
import { indexedRunCache } from '../storage/indexed-run-cache.ts'
import { indexedListCache, noListCache } from '../storage/list-cache.ts'
import { memoryRunCache } from '../storage/memory-run-cache.ts'
import type { RunCache } from '../storage/run-cache.ts'
import { hubClock } from '../time/hub-clock.ts'
import { LiveRun } from './live-run.ts'

const frame = frameThrottle()

/** Pages of this browser take turns. Where a browser has no locks, keys tabLock keep a action from being done twice. */
const tabLock: TabLock = async (name, signal, work) => {
  if (navigator.locks) await navigator.locks.request(name, { signal }, work)
  else await work()
}

/** All that a signed-in user's page keeps live: each run once, and the list of them. */
export class Live {
  readonly hub: Hub
  readonly runs: LiveRuns
  readonly #db: Database | null
  readonly #cache: RunCache
  readonly #outbox: Outbox
  readonly #wake = browserWake()
  readonly #budget = browserBudget()
  readonly #open = new Map<RunId, LiveRun>()

  private constructor(hub: Hub, db: Database | null) {
    const key = hub.sessionKey ?? (() => null)
    const streaming = streamsOverSockets(hub.fetch ?? fetch, this.#budget, key)
    this.hub = { ...hub, fetch: hubClock.listening(streaming) }
    this.#db = db
    this.#cache = db ? indexedRunCache(db) : memoryRunCache()
    this.#outbox = db ? indexedOutbox(db) : memoryOutbox()
    const cache = db ? indexedListCache(db) : noListCache
    this.runs = new LiveRuns({ hub: this.hub, cache, wake: this.#wake, budget: this.#budget, frame })
  }

  /** Finds what this browser kept for the user, and sends what was not sent. */
  static async begin(hub: Hub, user: string): Promise<Live> {
    const live = new Live(hub, await openDatabase(hub.url, user))
    for (const run of await live.#outbox.runs().catch(() => [])) live.run(run)
    return live
  }

  /** The run, live from now on; null if that is no name of a run. */
  run(name: string): LiveRun | null {
    const id = RunId.safeParse(name).data
    if (id === undefined) return null
    const open = this.#open.get(id)
    if (open) return open
    const run = new LiveRun({
      hub: this.hub,
      run: id,
      cache: this.#cache,
      outbox: this.#outbox,
      wake: this.#wake,
      budget: this.#budget,
      tabLock,
      frame,
      onIdle: () => {
        void run.stop()
        this.#open.delete(id)
      },
    })
    this.#open.set(id, run)
    return run
  }

  /** Lets go of everything; what the browser keeps for the user stays, see `forgetDatabase`. */
  async end(): Promise<void> {
    this.runs.stop()
    for (const run of this.#open.values()) await run.stop()
    this.#open.clear()
    this.#budget.close()
    this.#db?.close()
  }
}
