import type { Hub } from '@farhand/client/requests/hub'
import type { Run } from '@farhand/protocol/schemas/api'
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

/**
 * Pages of this browser take turns. In a browser without locks, the key of an action alone keeps it from being done twice.
 */
const tabLock: TabLock = async (name, signal, work) => {
  if (navigator.locks) await navigator.locks.request(name, { signal }, work)
  else await work()
}

/** Everything that the page of a signed-in user keeps live: the open runs, and the list of runs. */
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
    const plain = hub.fetch ?? fetch
    // A WebSocket of a browser cannot have the header with a token.
    const streaming = hub.token === undefined ? streamsOverSockets(plain, this.#budget, key) : plain
    this.hub = { ...hub, fetch: hubClock.wrapFetch(streaming) }
    this.#db = db
    this.#cache = db ? indexedRunCache(db) : memoryRunCache()
    this.#outbox = db ? indexedOutbox(db) : memoryOutbox()
    const cache = db ? indexedListCache(db) : noListCache
    this.runs = new LiveRuns({ hub: this.hub, cache, wake: this.#wake, budget: this.#budget, frame })
  }

  /** Opens the storage of the user, and starts sending unsent actions. */
  static async begin(hub: Hub, user: string): Promise<Live> {
    const live = new Live(hub, await openDatabase(hub.url, user))
    for (const run of await live.#outbox.runs().catch(() => [])) live.run(run)
    return live
  }

  /** What a guest with the link of one run keeps live; nothing of it is stored in the browser. */
  static async forGuest(hub: Hub, about: Run): Promise<Live> {
    const live = new Live(hub, null)
    await live.#cache.saveRun(about)
    return live
  }

  /** The run, live from now on; null if this is no run id. */
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

  /** Closes everything; the data in the browser stays, see `forgetDatabase`. */
  async end(): Promise<void> {
    this.runs.stop()
    for (const run of this.#open.values()) await run.stop()
    this.#open.clear()
    this.#budget.close()
    this.#db?.close()
  }
}
