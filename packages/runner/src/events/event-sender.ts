import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { type Producer, ProducerFull } from '@farhand/client/post/producer'
import type { Hub } from '@farhand/client/requests/hub'
import { defaultBackoff } from '@farhand/client/requests/retry'
import { Unconfirmed } from '@farhand/client/requests/unconfirmed'
import { type Backoff, backoffMs } from '@farhand/kit/backoff'
import { sleep } from '@farhand/kit/sleep'
import type { Notification } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { goesOn, joinChunks } from './join-chunks.ts'
import type { Journal } from './journal.ts'
import { insteadOf, type Sendable, sendable } from './sendable.ts'
import { ToolSnapshots } from './tool-snapshots.ts'
import { wellFormed } from './well-formed.ts'

export type EventSenderOptions = {
  /** With the runner's token. */
  hub: Hub
  at: RunAddress
  journal: Journal
  producer: Producer
  signal: AbortSignal
  /** With more waiting bytes than this, `isFull` is true. */
  mostBytes?: number
  backoff?: Backoff
  /** Called when there is room again. */
  onRoom?: () => void
  /**
   * Called once when nothing can be sent any more: a newer runner took over, or the run or the right to write to it
   * is gone.
   */
  onOver?: (why: unknown) => void
  /** Called when an event was refused, by the hub or beforehand; an error event is sent instead. */
  onRefused?: (event: Notification, why: unknown) => void
}

type Waiting = { entry: number; resolve: () => void; reject: (why: unknown) => void }

const most = { events: 1000, bytes: 1024 * 1024 }
// How long the continuation of a message waits after a request, so that a fast agent does not cause one request per
// word.
const paceMs = 15
const defaultMostBytes = 64 * 1024 * 1024

/** The hub refused a blob: the event that names it cannot be sent. */
class BlobRefused extends Error {}

/**
 * Sends a runner's events to the hub, in order, each once. Events are in the journal first; what an unreachable hub
 * leaves waiting is sent later, if need be by the next generation.
 */
export class EventSender {
  readonly #options: EventSenderOptions
  readonly #journal: Journal
  readonly #snapshots = new ToolSnapshots()
  #snapshotTimer: NodeJS.Timeout | undefined
  /** How many journal entries are in the log. */
  #stored = 0
  /** The newest entry that is sent without waiting for more. */
  #urgent: number
  #hurry: () => void = () => {}
  #last: Notification | null = null
  #sentAt = Number.NEGATIVE_INFINITY
  #waiting: Waiting[] = []
  #isFull = false
  #sending = false
  #over: { why: unknown } | null = null

  /** Begins with the entries that the journal already has. */
  constructor(options: EventSenderOptions) {
    this.#options = options
    this.#journal = options.journal
    this.#urgent = this.#journal.next - 1
    // The next runner must find it in the journal.
    options.signal.addEventListener('abort', () => this.#release(), { once: true })
    this.#send()
  }

  /** Whether so much waits that writers should pause until `onRoom`. */
  get isFull(): boolean {
    return this.#isFull
  }

  /**
   * Takes an event and returns the number of its journal entry. The event survives this process once this returns;
   * only of the states of a running tool, earlier ones may be dropped.
   */
  send(event: Notification): number {
    for (const said of this.#snapshots.take(wellFormed(event), performance.now())) this.#append(said)
    const { dueMs } = this.#snapshots
    clearTimeout(this.#snapshotTimer)
    if (dueMs !== null)
      this.#snapshotTimer = setTimeout(() => this.#release(), dueMs - performance.now()).unref()
    return this.#journal.next - 1
  }

  #release(): void {
    clearTimeout(this.#snapshotTimer)
    for (const said of this.#snapshots.release(performance.now())) this.#append(said)
  }

  #append(said: Notification): void {
    const entry = this.#journal.append(said)
    if (this.#journal.bytes > (this.#options.mostBytes ?? defaultMostBytes)) this.#isFull = true
    if (!goesOn(this.#last, said)) this.#rush(entry)
    this.#last = said
    this.#send()
  }

  /** Resolves when everything up to this entry is durable at the hub. */
  stored(entry: number): Promise<void> {
    if (entry < this.#stored) return Promise.resolve()
    if (this.#over) return Promise.reject(this.#over.why)
    this.#rush(entry)
    return new Promise((resolve, reject) => this.#waiting.push({ entry, resolve, reject }))
  }

  #rush(entry: number): void {
    this.#urgent = Math.max(this.#urgent, entry)
    this.#hurry()
  }

  #send(): void {
    if (this.#sending || this.#over || this.#stored >= this.#journal.next) return
    this.#sending = true
    this.#sendAll().catch((why) => this.#end(why))
  }

  async #sendAll(): Promise<void> {
    // One tick later, so that events written together are sent together.
    await Promise.resolve()
    while (this.#stored < this.#journal.next) {
      await this.#pause()
      this.#sentAt = performance.now()
      const portion = joinChunks(this.#journal.read(this.#stored, most)).map(sendable)
      for (const { refused } of portion) if (refused) this.#options.onRefused?.(refused.event, refused.why)
      await this.#sendSome(portion)
    }
    // Synchronously: the next `say` must not think that the loop still runs.
    this.#sending = false
  }

  /** The beginning of something is sent at once; a continued message waits a little for more (W28). */
  async #pause(): Promise<void> {
    const { signal } = this.#options
    const pauseMs = this.#sentAt + paceMs - performance.now()
    if (this.#urgent >= this.#stored || pauseMs <= 0) return
    await sleep(pauseMs, {
      signal,
      wake: (ring) => {
        this.#hurry = ring
        return () => {
          this.#hurry = () => {}
        }
      },
    })
  }

  /** All of these or none: if a later event were stored before an earlier one, stored entries could not be counted. */
  async #sendSome(events: readonly Sendable[]): Promise<void> {
    try {
      await this.#upload(events)
      await this.#post(events.map(({ event }) => event))
    } catch (why) {
      if (!this.#isAboutEvents(why)) throw why
      const half = Math.floor(events.length / 2)
      if (half === 0) return await this.#sendInstead(events[0]!, why)
      await this.#sendSome(events.slice(0, half))
      return await this.#sendSome(events.slice(half))
    }
    this.#settle(events)
  }

  async #sendInstead({ event, entries }: Sendable, why: unknown): Promise<void> {
    this.#options.onRefused?.(event, why)
    const { backoff = defaultBackoff, signal } = this.#options
    const instead = { event: insteadOf(event, entries, why), blobs: [], entries }
    for (let failures = 1; ; failures++) {
      try {
        await this.#post([instead.event])
        break
      } catch (why) {
        if (!this.#isAboutEvents(why)) throw why
        // The hub is in trouble if it refuses even this; leaving the event out would make stored entries uncountable.
        await sleep(backoffMs(failures, backoff), { signal })
      }
    }
    this.#settle([instead])
  }

  async #upload(events: readonly Sendable[]): Promise<void> {
    const blobs = events.flatMap(({ blobs }) => blobs)
    if (blobs.length === 0) return
    const { hub, at, signal, backoff } = this.#options
    const sources = blobs.map(({ hash, bytes }) => ({ hash, size: bytes.length, open: () => bytes }))
    const patient = { signal, patienceMs: Number.POSITIVE_INFINITY, ...(backoff && { backoff }) }
    const { refused } = await uploadBlobs(hub, at, sources, patient)
    if (refused[0]) throw new BlobRefused('the hub would not store a blob of it', { cause: refused[0].why })
  }

  async #post(events: readonly Notification[]): Promise<void> {
    const { producer } = this.#options
    for (;;) {
      try {
        await producer.send(events)
        return
      } catch (error) {
        if (!(error instanceof ProducerFull)) throw error
        await producer.idle()
      }
    }
  }

  /** Whether the failure concerns these events only, so that others may be accepted. */
  #isAboutEvents(why: unknown): boolean {
    const { signal, producer } = this.#options
    if (signal.aborted || producer.isStopped) return false
    return why instanceof BlobRefused || why instanceof Fault || why instanceof Unconfirmed
  }

  #settle(events: readonly Sendable[]): void {
    for (const { entries } of events) this.#stored += entries
    this.#journal.forget(this.#stored)
    const waiting = this.#waiting
    this.#waiting = waiting.filter(({ entry }) => entry >= this.#stored)
    for (const { entry, resolve } of waiting) if (entry < this.#stored) resolve()
    const { mostBytes = defaultMostBytes, onRoom } = this.#options
    if (!this.#isFull || this.#journal.bytes > mostBytes / 2) return
    this.#isFull = false
    onRoom?.()
  }

  #end(why: unknown): void {
    this.#over = { why }
    const { signal, onOver } = this.#options
    for (const { reject } of this.#waiting.splice(0)) reject(why)
    if (!signal.aborted) onOver?.(why)
  }
}
