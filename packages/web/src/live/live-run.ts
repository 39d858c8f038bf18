import { followPortions } from '@farhand/client/follow/follow'
import { OtherLog } from '@farhand/client/follow/witness'
import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { addressOf, findRun, runStatus } from '@farhand/client/resources/resources'
import { sleep } from '@farhand/kit/sleep'
import type { Run } from '@farhand/protocol/schemas/api'
import type { Presence } from '@farhand/protocol/schemas/sharing'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { StoryFold } from '@farhand/story/fold/story-fold'
import type { Story } from '@farhand/story/items/story'
import { type Connection, connectionOf, connectionOfError } from '../connection/connection.ts'
import { type ConnectionBudget, unlimitedBudget } from '../connection/connection-budget.ts'
import type { Wake } from '../connection/wake.ts'
import type { RunActions } from '../outbox/actions.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { PendingActions, type TabLock } from '../outbox/pending-actions.ts'
import { CacheWriter } from '../storage/cache-writer.ts'
import type { RunCache } from '../storage/run-cache.ts'
import { ShownStory } from './shown-story.ts'

/** What a page knows of a run. The object and its parts stay the same until they change. */
export type LiveRunState = {
  /** Null until the hub or the cache has told it. */
  about: Run | null
  story: Story
  connection: Connection
  actions: RunActions
  /** Who looks at the run, as the hub told last; null while it is not connected. */
  presence: Presence | null
}

export type LiveRunOptions = {
  hub: Hub
  run: RunId
  cache: RunCache
  outbox: Outbox
  wake: Wake
  budget?: ConnectionBudget
  tabLock: TabLock
  /** Calls back when there is time to render. */
  frame: (draw: () => void) => void
  /** Called once, when the run has had no listeners for a while and there is nothing to send. */
  onIdle?: () => void
}

/** How long a run stays in memory without listeners, so that going back to it shows it at once. */
const idleMs = 60_000

/** How long the connection stays open without listeners, so that switching between parts of a run keeps it. */
const disconnectDelayMs = 300

/** After being away for this long, the page reconnects even if the connection seems to be open. */
const reconnectAfterAwayMs = 20_000
/** After catching up for this long, the page shows how many events are still to come. */
const showCountAfterMs = 400
/** How often the page renders while it catches up. */
const catchUpFrameMs = 150

/** One run, kept live while it has listeners: first from the cache of this browser, then from the hub. */
export class LiveRun {
  readonly #options: LiveRunOptions
  readonly #listeners = new Set<() => void>()
  readonly #eventListeners = new Set<(events: readonly SeenEvent[]) => void>()
  readonly #ended = new AbortController()
  readonly #cacheWriter: CacheWriter
  readonly #actions: PendingActions
  #fold = new StoryFold()
  readonly #shown = new ShownStory()
  #events: SeenEvent[] = []
  #about: Run | null = null
  #connection: Connection = { is: 'connecting' }
  #presence: Presence | null = null
  #now: LiveRunState | null = null
  #shownActions: RunActions | null = null
  #isDrawing = false
  #drawing: ReturnType<typeof setTimeout> | undefined
  #attempt = new AbortController()
  #idle: ReturnType<typeof setTimeout> | undefined
  #disconnecting: ReturnType<typeof setTimeout> | undefined
  readonly #demandListeners = new Set<() => void>()
  #isFollowing = false

  constructor(options: LiveRunOptions) {
    this.#options = options
    this.#cacheWriter = new CacheWriter(options.cache, options.run)
    this.#actions = new PendingActions({
      ...options,
      at: () => this.#about && addressOf(this.#about),
      wake: options.wake.onWake,
      known: () => {
        const { view, lastId } = this.#fold.story
        return { view, lastId, isSure: ['live', 'ended'].includes(this.#connection.is) }
      },
      changed: () => {
        this.#shownActions = null
        this.#updateDemand()
        this.#changed()
      },
      // A user who reopens a closed run wants to see the new events.
      sent: () => this.#connection.is === 'ended' && this.retry(),
      signal: this.#ended.signal,
    })
    this.#startIdleTimer()
    void this.#keepLive()
  }

  now = (): LiveRunState => {
    this.#now ??= {
      about: this.#about,
      story: this.#shown.of(this.#fold, this.#connection, Date.now()),
      connection: this.#connection,
      actions: this.#actionsNow(),
      presence: this.#presence,
    }
    return this.#now
  }

  subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    this.#updateDemand()
    return () => {
      this.#listeners.delete(changed)
      this.#updateDemand()
      this.#startIdleTimer()
    }
  }

  /** Gives all known events in batches, and then new ones. */
  listen(take: (events: readonly SeenEvent[]) => void): () => void {
    if (this.#events.length > 0) take(this.#events)
    this.#eventListeners.add(take)
    this.#updateDemand()
    return () => {
      this.#eventListeners.delete(take)
      this.#updateDemand()
      this.#startIdleTimer()
    }
  }

  /** Retries now, even if the pause before the next try is not over. */
  retry(): void {
    this.#attempt.abort()
  }

  /** Closes everything; unsent actions stay in storage. Resolves when the cache is written. */
  stop(): Promise<void> {
    clearTimeout(this.#idle)
    clearTimeout(this.#disconnecting)
    this.#ended.abort()
    this.#attempt.abort()
    return this.#cacheWriter.flush()
  }

  #startIdleTimer(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      if (this.#listeners.size + this.#eventListeners.size > 0) return
      if (this.#actions.hasUnsent) this.#startIdleTimer()
      else this.#options.onIdle?.()
    }, idleMs)
  }

  async #keepLive(): Promise<void> {
    const { signal } = this.#ended
    const { cache, run, wake } = this.#options
    const endWake = wake.onWake((awayMs) => {
      if (awayMs > reconnectAfterAwayMs || !['live', 'catching-up'].includes(this.#connection.is))
        this.retry()
      this.#actions.sendPending()
    })
    signal.addEventListener('abort', endWake)
    signal.addEventListener('abort', this.#budget.onChange(this.#updateDemand))
    // Load unsent actions first: the cached log may already contain some of them.
    const [about, events] = await Promise.all([cache.loadRun(run), cache.read(run), this.#actions.begin()])
    if (about) this.#setAbout(about)
    try {
      this.#takeEvents(events)
    } catch {
      // Another version of this page wrote the cache. Showing nothing would be worse than loading all again.
      await this.#forget()
    }
    while (!signal.aborted) {
      this.#attempt = new AbortController()
      try {
        await this.#findAddress(this.#attempt.signal)
        await this.#waitUntilWanted(this.#attempt.signal)
        this.#isFollowing = true
        await this.#follow(this.#attempt.signal)
        this.#setConnection({ is: 'ended' })
      } catch (error) {
        if (this.#attempt.signal.aborted) continue
        if (isOtherLog(error)) {
          await this.#forget()
          continue
        }
        this.#setConnection(connectionOfError(error))
      } finally {
        this.#isFollowing = false
      }
      // Another client may reopen a closed run; a wake event or a retry finds out.
      await sleep(Number.POSITIVE_INFINITY, { signal: this.#attempt.signal }).catch(() => {})
    }
  }

  get #budget(): ConnectionBudget {
    return this.#options.budget ?? unlimitedBudget
  }

  #isWanted(): boolean {
    if (!this.#budget.allows('run')) return false
    return this.#listeners.size + this.#eventListeners.size > 0 || this.#actions.needsRunState
  }

  #updateDemand = () => {
    clearTimeout(this.#disconnecting)
    if (this.#isWanted()) for (const listener of [...this.#demandListeners]) listener()
    else if (this.#isFollowing)
      this.#disconnecting = setTimeout(() => this.#attempt.abort(), disconnectDelayMs)
  }

  async #waitUntilWanted(signal: AbortSignal): Promise<void> {
    if (this.#isWanted()) return
    this.#setConnection({ is: 'connecting' })
    const wake = (listener: () => void) => {
      this.#demandListeners.add(listener)
      return () => this.#demandListeners.delete(listener)
    }
    while (!this.#isWanted()) await sleep(Number.POSITIVE_INFINITY, { signal, wake })
  }

  /** Sending also needs the address of the run, not only following. */
  async #findAddress(signal: AbortSignal): Promise<void> {
    const { hub, run, cache } = this.#options
    const about = this.#about ?? (await findRun(hub, run, { signal, patienceMs: Number.POSITIVE_INFINITY }))
    void cache.saveRun(about)
    this.#setAbout(about)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { hub } = this.#options
    const at = addressOf(this.#about!)
    const last = this.#events.at(-1) ?? null
    const portions = followPortions(hub, at, {
      after: last?.id ?? 0,
      witness: last,
      signal,
      onPresence: (presence) => {
        this.#presence = presence
        this.#changed()
      },
      onState: (state) => {
        this.#setConnection(this.#keepRetrying(connectionOf(state)))
        if (state.is === 'catching-up') void this.#countToGo(at, signal)
      },
    })
    for await (const { events } of portions) {
      this.#takeEvents(events)
      this.#cacheWriter.add(events)
    }
  }

  #takeEvents(events: readonly SeenEvent[]): void {
    if (events.length === 0) return
    for (const event of events) {
      this.#fold.take(event)
      this.#events.push(event)
      this.#actions.takeEvent(event)
    }
    for (const take of this.#eventListeners) take(events)
    const { is, ...rest } = this.#connection
    const toGo = 'toGo' in rest ? rest.toGo : null
    if (is === 'catching-up' && toGo !== null)
      this.#connection = { is, toGo: Math.max(0, toGo - events.length) }
    this.#changed()
  }

  #setAbout(about: Run): void {
    const isNew = this.#about === null
    this.#about = about
    this.#fold.madeIn = about.sandbox
    if (isNew) this.#actions.sendPending()
    this.#changed()
  }

  async #countToGo(at: RunAddress, signal: AbortSignal): Promise<void> {
    try {
      await sleep(showCountAfterMs, { signal })
      if (this.#connection.is !== 'catching-up') return
      const { lastEventId } = await runStatus(this.#options.hub, at, { signal, patienceMs: 0 })
      if (this.#connection.is !== 'catching-up') return
      this.#setConnection({
        is: 'catching-up',
        toGo: Math.max(0, lastEventId - (this.#events.at(-1)?.id ?? 0)),
      })
    } catch {
      // Then the count is not shown.
    }
  }

  /** The hub has another log under this id: discard what was read before. */
  async #forget(): Promise<void> {
    this.#fold = new StoryFold()
    this.#fold.madeIn = this.#about?.sandbox ?? null
    this.#events = []
    this.#cacheWriter.drop()
    await this.#options.cache.forget(this.#options.run)
    this.#changed()
  }

  /** After losing the hub, the state stays `retrying` until it is back, also while a try is running. */
  #keepRetrying(connection: Connection): Connection {
    const isAgain = connection.is === 'connecting' && this.#connection.is === 'retrying'
    return isAgain ? { is: 'retrying', at: Date.now() } : connection
  }

  #setConnection(connection: Connection): void {
    const was = this.#connection.is
    if (connection.is !== 'live') this.#presence = null
    this.#connection = connection
    if (connection.is !== was && (connection.is === 'live' || connection.is === 'ended'))
      this.#actions.sendPending()
    if (this.#drawing !== undefined && connection.is !== 'catching-up') {
      clearTimeout(this.#drawing)
      this.#drawing = undefined
      this.#isDrawing = false
    }
    this.#changed()
  }

  #actionsNow(): RunActions {
    this.#shownActions ??= {
      act: (...did) => this.#actions.act(...did),
      drop: (key) => this.#actions.drop(key),
      resend: (key) => this.#actions.resend(key),
      attach: (file, options) => this.#actions.attach(file, options),
      unsent: this.#actions.unsent,
    }
    return this.#shownActions
  }

  #changed(): void {
    if (this.#isDrawing) return
    this.#isDrawing = true
    // While catching up, rendering every step would only delay the end.
    if (this.#connection.is === 'catching-up') this.#drawing = setTimeout(this.#draw, catchUpFrameMs)
    else this.#options.frame(this.#draw)
  }

  #draw = () => {
    this.#drawing = undefined
    this.#isDrawing = false
    this.#now = null
    for (const changed of [...this.#listeners]) changed()
  }
}

const isOtherLog = (error: unknown) =>
  error instanceof OtherLog || (error instanceof Refusal && error.code === 'cursor.ahead')
