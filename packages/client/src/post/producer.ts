import { blobsNamed } from '@farhand/protocol/events/blobs-named'
import type { Posted } from '@farhand/protocol/schemas/api'
import type { Notification } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import { limits } from '@farhand/protocol/wire/limits'
import { blobHeadBytes, recordHeadBytes } from '@farhand/protocol/wire/pack'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { CallOptions } from '../requests/call.ts'
import type { Hub } from '../requests/hub.ts'
import { Refusal } from '../requests/refusal.ts'
import { Unconfirmed } from '../requests/unconfirmed.ts'
import { type PackedBlob, postLines } from './post.ts'

export type ProducerOptions = Omit<CallOptions, 'patienceMs'> & {
  id: string
  epoch: number
  /** The seq of the first event it will send: 0 in a new epoch. */
  next?: number
}

/** Events that are stored together or not at all, waiting for their turn. */
type Group = {
  lines: readonly string[]
  bytes: number
  /** How many blobs the events name. */
  named: number
  blobs: readonly PackedBlob[]
  onTrouble: CallOptions['onTrouble']
  stored: (ids: number[]) => void
  failed: (error: unknown) => void
}

/** Too many events wait in memory: send these again, all of them, once the earlier ones are stored. */
export class ProducerFull extends Error {}

const mostWaitingBytes = 8 * limits.requestBytes
const encoder = new TextEncoder()

/**
 * The only writer of an epoch. Events are stored in order, once, across any number of lost connections; events that wait
 * during a request are sent together in the next one. It stops for good when the hub answers that another writer has
 * taken over, that events are missing, or that the writer or the run does not exist (any more), and when the hub refuses
 * events that may have arrived before.
 */
export class Producer {
  readonly #hub: Hub
  readonly #at: RunAddress
  readonly #options: ProducerOptions
  #next: number
  #waiting: Group[] = []
  #waitingBytes = 0
  #sending: Promise<void> | null = null
  #stopped: { why: unknown } | null = null

  constructor(hub: Hub, at: RunAddress, options: ProducerOptions) {
    this.#hub = hub
    this.#at = at
    this.#options = options
    this.#next = options.next ?? 0
  }

  /** The seq of the next event that is not yet known to be stored. */
  get next(): number {
    return this.#next
  }

  /** Whether it has stopped for good: every further `send` is rejected with the error that stopped it. */
  get isStopped(): boolean {
    return this.#stopped !== null
  }

  /**
   * Resolves with the ids of the events once all of them are durable; if it rejects with a Refusal, none is stored. Blobs
   * that the events name may be sent along. `onTrouble` is called for each failed try with these events.
   */
  send(
    events: Notification | readonly Notification[],
    { blobs = [], onTrouble }: { blobs?: readonly PackedBlob[]; onTrouble?: CallOptions['onTrouble'] } = {},
  ): Promise<number[]> {
    const list = 'method' in events ? [events] : events
    if (this.#stopped) return Promise.reject(this.#stopped.why)
    if (list.length === 0) return Promise.resolve([])
    const lines = list.map((event) => JSON.stringify(event))
    const sizes = lines.map((line) => encoder.encode(line).length)
    const bytes = sizes.reduce((sum, size) => sum + size + 1, 0) + packedSize(blobs)
    const named = list.reduce((sum, event) => sum + blobsNamed(event).length, 0)
    if (isTooMuch(list.length, bytes, named)) {
      return Promise.reject(
        tooLarge(`${list.length} events with ${named} blobs, ${bytes} bytes, do not fit into one request`),
      )
    }
    const largest = Math.max(...sizes)
    if (largest > limits.eventBytes)
      return Promise.reject(tooLarge(`an event of ${largest} bytes is too large`))
    if (this.#waitingBytes + bytes > mostWaitingBytes) {
      return Promise.reject(new ProducerFull(`${this.#waitingBytes} bytes wait for the hub already`))
    }
    return new Promise((stored, failed) => {
      this.#waitingBytes += bytes
      this.#waiting.push({ lines, bytes, named, blobs, onTrouble, stored, failed })
      this.#sending ??= this.#sendAll()
    })
  }

  /** Resolves when no event waits any more, stored or refused. */
  async idle(): Promise<void> {
    while (this.#sending) await this.#sending
  }

  async #sendAll(): Promise<void> {
    // One microtask later, so that calls of `send` in a row share one request.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#sendGroups(this.#take(fitting(this.#waiting)))
    this.#sending = null
  }

  #take(count: number): Group[] {
    const groups = this.#waiting.splice(0, count)
    for (const { bytes } of groups) this.#waitingBytes -= bytes
    return groups
  }

  async #sendGroups(groups: Group[]): Promise<void> {
    if (this.#stopped) return this.#stop(this.#stopped.why, groups)
    try {
      const { ids } = await this.#post(groups)
      let from = 0
      for (const group of groups) {
        group.stored(ids.slice(from, from + group.lines.length))
        from += group.lines.length
      }
    } catch (error) {
      if (isFinal(error) || this.#options.signal?.aborted) return this.#stop(error, groups)
      // The hub refused the whole request and stored nothing: each group is sent alone, so that one bad event fails alone.
      if (groups.length > 1) for (const group of groups) await this.#sendGroups([group])
      else groups[0]?.failed(error)
    }
  }

  async #post(groups: readonly Group[]): Promise<Posted> {
    const lines = groups.flatMap((group) => group.lines)
    const blobs = groups.flatMap((group) => group.blobs)
    const { id, epoch, next: _, ...call } = this.#options
    const producer = { id, epoch, seq: this.#next }
    const onTrouble = (trouble: unknown, retryMs: number) => {
      call.onTrouble?.(trouble, retryMs)
      for (const group of groups) group.onTrouble?.(trouble, retryMs)
    }
    const posted = await postLines(this.#hub, this.#at, lines, {
      ...call,
      onTrouble,
      producer,
      blobs,
      patienceMs: Number.POSITIVE_INFINITY,
    })
    this.#next += lines.length
    return posted
  }

  #stop(why: unknown, groups: Group[]): void {
    this.#stopped = { why }
    for (const group of [...groups, ...this.#take(this.#waiting.length)]) group.failed(why)
  }
}

// After these errors the hub accepts nothing more from this writer, or their sequence numbers may differ: then the hub
// could take the next events for earlier ones, answer with their ids, and never store the new ones.
function isFinal(error: unknown): boolean {
  if (isAboutBlobs(error)) return false
  if (!(error instanceof Refusal)) return true
  // The hub knows the writer and the run; only this event is not allowed.
  if (error.saidCode === 'role.refused') return false
  return [401, 403, 404].includes(error.status) || error.code === 'producer.gap'
}

// If the hub had stored these events in an earlier try, it would have all blobs they name, and would answer with their
// ids. So no earlier try was stored, even if its answer was lost.
function isAboutBlobs(error: unknown): boolean {
  const refusal = error instanceof Unconfirmed ? error.cause : error
  return refusal instanceof Refusal && ['blob.missing', 'blob.mismatch'].includes(refusal.code)
}

function fitting(groups: readonly Group[]): number {
  let events = 0
  let bytes = 0
  let named = 0
  const first = groups.findIndex((group) => {
    events += group.lines.length
    bytes += group.bytes
    named += group.named
    return isTooMuch(events, bytes, named)
  })
  return first === -1 ? groups.length : first
}

function isTooMuch(events: number, bytes: number, named: number): boolean {
  return events > limits.eventsPerRequest || bytes > limits.requestBytes || named > limits.blobsPerRequest
}

function packedSize(blobs: readonly PackedBlob[]): number {
  if (blobs.length === 0) return 0
  return blobs.reduce((sum, { bytes }) => sum + blobHeadBytes + bytes.length, recordHeadBytes)
}

function tooLarge(what: string): Fault {
  return new Fault('request.too-large', `${what}; put large values into blobs, or send fewer at once`)
}
