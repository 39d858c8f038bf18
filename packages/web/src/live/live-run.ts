import { followPortions } from '@farhand/client/follow/follow'
import { OtherLog } from '@farhand/client/follow/witness'
import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { addressOf, findRun, runStatus } from '@farhand/client/resources/resources'
import { sleep } from '@farhand/kit/sleep'
import type { Run } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { type Connection, connectionOf, connectionOfError } from '../connection/connection.ts'
import { type ConnectionBudget, unlimitedBudget } from '../connection/connection-budget.ts'
import type { Wake } from '../connection/wake.ts'
import type { RunActions } from '../outbox/actions.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { PendingActions, type TabLock } from '../outbox/pending-actions.ts'
import { CacheWriter } from '../storage/cache-writer.ts'
import type { RunCache } from '../storage/run-cache.ts'
import type { Story } from '../story/story.ts'
import { StoryFold } from '../story/story-fold.ts'
import { ShownStory } from './shown-story.ts'

/** What a page knows of a run. The object and its parts stay the same until they change. */
export type LiveRunState = {
  /** Null until the hub or the cache has told it. */
  about: Run | null
  story: Story
  connection: Connection
  actions: RunActions
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
const lingerMs = 60_000

/** How long the connection stays open without listeners, so that switching between parts of a run keeps it. */
const letGoMs = 300

/** After being away for this long, the page reconnects even if the connection seems to be open. */
const doubtAfterMs = 20_000
/** After catching up for this long, the page shows how many events are still to come. */
const patientMs = 400
/** How often the page renders while it catches up. */
const calmMs = 150

/** One run, kept live while it has listeners: first from the cache of this browser, then from the hub. */
export class LiveRun {
  readonly #options: LiveRunOptions
  readonly #listeners = new Set<() => void>()
  readonly #takers = new Set<(events: readonly SeenEvent[]) => void>()
  readonly #ended = new AbortController()
  readonly #cached: CacheWriter
  readonly #actions: PendingActions
  #fold = new StoryFold()
  readonly #shown = new ShownStory()
  #events: SeenEvent[] = []
  #about: Run | null = null
  #connection: Connection = { is: 'connecting' }
  #now: LiveRunState | null = null
  #shownActions: RunActions | null = null
  #isDrawing = false
  #drawing: ReturnType<typeof setTimeout> | undefined
  #attempt = new AbortController()
  #idle: ReturnType<typeof setTimeout> | undefined
  #lettingGo: ReturnType<typeof setTimeout> | undefined
  readonly #wants = new Set<() => void>()
  #isFollowing = false

  constructor(options: LiveRunOptions) {
    this.#options = options
    this.#cached = new CacheWriter(options.cache, options.run)
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
        this.#lookWhetherWanted()
        this.#changed()
      },
      // A user who reopens a closed run wants to see the new events.
      sent: () => this.#connection.is === 'ended' && this.again(),
      signal: this.#ended.signal,
    })
    this.#linger()
    void this.#keep()
  }

  now = (): LiveRunState => {
    this.#now ??= {
      about: this.#about,
      story: this.#shown.of(this.#fold, this.#connection, Date.now()),
      connection: this.#connection,
      actions: this.#actionsNow(),
    }
    return this.#now
  }

  subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    this.#lookWhetherWanted()
    return () => {
      this.#listeners.delete(changed)
      this.#lookWhetherWanted()
      this.#linger()
    }
  }

  /** Gives all known events in batches, and then new ones. */
  listen(take: (events: readonly SeenEvent[]) => void): () => void {
    if (this.#events.length > 0) take(this.#events)
    this.#takers.add(take)
    this.#lookWhetherWanted()
    return () => {
      this.#takers.delete(take)
      this.#lookWhetherWanted()
      this.#linger()
    }
  }

  /** Retries now, whatever the run is waiting for. */
  again(): void {
    this.#attempt.abort()
  }

  /** Closes everything; unsent actions stay in storage. Resolves when the cache is written. */
  stop(): Promise<void> {
    clearTimeout(this.#idle)
    clearTimeout(this.#lettingGo)
    this.#ended.abort()
    this.#attempt.abort()
    return this.#cached.flush()
  }

  #linger(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      if (this.#listeners.size + this.#takers.size > 0) return
      if (this.#actions.hasToSend) this.#linger()
      else this.#options.onIdle?.()
    }, lingerMs)
  }

  async #keep(): Promise<void> {
    const { signal } = this.#ended
    const { cache, run, wake } = this.#options
    const endWake = wake.onWake((awayMs) => {
      if (awayMs > doubtAfterMs || !['live', 'catching-up'].includes(this.#connection.is)) this.again()
      this.#actions.look()
    })
    signal.addEventListener('abort', endWake)
    signal.addEventListener('abort', this.#budget.onChange(this.#lookWhetherWanted))
    // Load unsent actions first: the cached log may already contain some of them.
    const [about, events] = await Promise.all([cache.about(run), cache.read(run), this.#actions.begin()])
    if (about) this.#settle(about)
    try {
      this.#take(events)
    } catch {
      // Another version of this page wrote the cache. Showing nothing would be worse than loading all again.
      await this.#forget()
    }
    while (!signal.aborted) {
      this.#attempt = new AbortController()
      try {
        await this.#find(this.#attempt.signal)
        await this.#untilWanted(this.#attempt.signal)
        this.#isFollowing = true
        await this.#follow(this.#attempt.signal)
        this.#connect({ is: 'ended' })
      } catch (error) {
        if (this.#attempt.signal.aborted) continue
        if (isOtherLog(error)) {
          await this.#forget()
          continue
        }
        this.#connect(connectionOfError(error))
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
    return this.#listeners.size + this.#takers.size > 0 || this.#actions.isInDoubt
  }

  #lookWhetherWanted = () => {
    clearTimeout(this.#lettingGo)
    if (this.#isWanted()) for (const ring of [...this.#wants]) ring()
    else if (this.#isFollowing) this.#lettingGo = setTimeout(() => this.#attempt.abort(), letGoMs)
  }

  async #untilWanted(signal: AbortSignal): Promise<void> {
    if (this.#isWanted()) return
    this.#connect({ is: 'connecting' })
    const wake = (ring: () => void) => {
      this.#wants.add(ring)
      return () => this.#wants.delete(ring)
    }
    while (!this.#isWanted()) await sleep(Number.POSITIVE_INFINITY, { signal, wake })
  }

  /** Sending also needs the address of the run, not only following. */
  async #find(signal: AbortSignal): Promise<void> {
    const { hub, run, cache } = this.#options
    const about = this.#about ?? (await findRun(hub, run, { signal, patienceMs: Number.POSITIVE_INFINITY }))
    void cache.saveAbout(about)
    this.#settle(about)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { hub } = this.#options
    const at = addressOf(this.#about!)
    const last = this.#events.at(-1) ?? null
    const portions = followPortions(hub, at, {
      after: last?.id ?? 0,
      witness: last,
      signal,
      onState: (state) => {
        this.#connect(this.#sinceBefore(connectionOf(state)))
        if (state.is === 'catching-up') void this.#countToGo(at, signal)
      },
    })
    for await (const { events } of portions) {
      this.#take(events)
      this.#cached.add(events)
    }
  }

  #take(events: readonly SeenEvent[]): void {
    if (events.length === 0) return
    for (const event of events) {
      this.#fold.take(event)
      this.#events.push(event)
      this.#actions.seen(event)
    }
    for (const take of this.#takers) take(events)
    const { is, ...rest } = this.#connection
    const toGo = 'toGo' in rest ? rest.toGo : null
    if (is === 'catching-up' && toGo !== null)
      this.#connection = { is, toGo: Math.max(0, toGo - events.length) }
    this.#changed()
  }

  #settle(about: Run): void {
    const isNew = this.#about === null
    this.#about = about
    this.#fold.madeIn = about.sandbox
    if (isNew) this.#actions.look()
    this.#changed()
  }

  async #countToGo(at: RunAddress, signal: AbortSignal): Promise<void> {
    try {
      await sleep(patientMs, { signal })
      if (this.#connection.is !== 'catching-up') return
      const { lastEventId } = await runStatus(this.#options.hub, at, { signal, patienceMs: 0 })
      if (this.#connection.is !== 'catching-up') return
      this.#connect({ is: 'catching-up', toGo: Math.max(0, lastEventId - (this.#events.at(-1)?.id ?? 0)) })
    } catch {
      // Then the count is not shown.
    }
  }

  /** The hub has another log under this id: discard what was read before. */
  async #forget(): Promise<void> {
    this.#fold = new StoryFold()
    this.#fold.madeIn = this.#about?.sandbox ?? null
    this.#events = []
    this.#cached.drop()
    await this.#options.cache.forget(this.#options.run)
    this.#changed()
  }

  /** After losing the hub, the state stays `retrying` until it is back, also while a try is running. */
  #sinceBefore(connection: Connection): Connection {
    const isAgain = connection.is === 'connecting' && this.#connection.is === 'retrying'
    return isAgain ? { is: 'retrying', at: Date.now() } : connection
  }

  #connect(connection: Connection): void {
    const was = this.#connection.is
    this.#connection = connection
    if (connection.is !== was && (connection.is === 'live' || connection.is === 'ended')) this.#actions.look()
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
      again: (key) => this.#actions.again(key),
      attach: (file, options) => this.#actions.attach(file, options),
      unsent: this.#actions.unsent,
    }
    return this.#shownActions
  }

  #changed(): void {
    if (this.#isDrawing) return
    this.#isDrawing = true
    // While catching up, rendering every step would only delay the end.
    if (this.#connection.is === 'catching-up') this.#drawing = setTimeout(this.#draw, calmMs)
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
