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
import { type Connection, connectionOf } from '../connection/connection.ts'
import { type ConnectionBudget, unlimitedBudget } from '../connection/connection-budget.ts'
import { connectionOfError } from '../connection/refused-by.ts'
import type { Wake } from '../connection/wake.ts'
import type { RunActions } from '../outbox/actions.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { PendingActions, type TabLock } from '../outbox/pending-actions.ts'
import { CacheWriter } from '../storage/cache-writer.ts'
import type { RunCache } from '../storage/run-cache.ts'
import type { Story } from '../story/story.ts'
import { StoryFold } from '../story/story-fold.ts'
import { ShownStory } from './shown-story.ts'

/** What a page knows of a run. The same object until something of it changes, and so is each of its parts. */
export type LiveRunState = {
  /** Null until it is known where the run lives. */
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
  /** Calls back when there is time to draw. */
  frame: (draw: () => void) => void
  /** Told once, when nobody has listened for a while and nothing waits to be sent. */
  onIdle?: () => void
}

/** Who goes to the list and back finds everything as it was. */
const lingerMs = 60_000

/** Who goes from one part of a run to another keeps its connection. */
const letGoMs = 300

/** Who was away for so long does not trust what is left of a connection. */
const doubtAfterMs = 20_000
/** Who catches up for longer than this is told how much is still to come. */
const patientMs = 400
/** How often a page is drawn meanwhile. */
const calmMs = 150

/** One run, kept as it is at the hub while somebody listens: first what this browser remembers, then the rest. */
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
      // Whoever opened a run that was over wants to see what comes.
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

  /** Gives all events there are, in portions, and then those that come. */
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

  /** Tries again now, whatever it is waiting for. */
  again(): void {
    this.#attempt.abort()
  }

  /** Lets go of everything; what was not sent stays where it is kept. Resolves when what was read is remembered. */
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
    // What was not sent comes first: some of it may be in the log that is remembered.
    const [about, events] = await Promise.all([cache.about(run), cache.read(run), this.#actions.begin()])
    if (about) this.#settle(about)
    try {
      this.#take(events)
    } catch {
      // What another version of this page left here is not worth a page that shows nothing.
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
      // A run that is over may be opened again by others; somebody who looks again finds out.
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

  /** Where the run lives has to be known also to send something to it. */
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
      // Then it is not said how much is to come.
    }
  }

  /** The hub has another log under this name: what was read before is not what happened. */
  async #forget(): Promise<void> {
    this.#fold = new StoryFold()
    this.#fold.madeIn = this.#about?.sandbox ?? null
    this.#events = []
    this.#cached.drop()
    await this.#options.cache.forget(this.#options.run)
    this.#changed()
  }

  /** Who has lost the hub is reconnecting until it is there again, also while that is being tried. */
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
    // Who catches up wants to see the end: to draw each step on the way there would only delay it.
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
