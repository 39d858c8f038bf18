import type { Backoff } from '@farhand/kit/backoff'
import { sleep } from '@farhand/kit/sleep'
import type { Presence } from '@farhand/protocol/schemas/sharing'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { ask, type Hub } from '../requests/hub.ts'
import { type Online, onlineFor, whileOnline } from '../requests/online.ts'
import { isPassing, Unreachable } from '../requests/refusal.ts'
import { defaultBackoff, pauseMs } from '../requests/retry.ts'
import { sseMessages } from '../requests/sse-messages.ts'
import { followRequest } from './follow-request.ts'
import { type Followed, followSteps } from './follow-step.ts'
import { takeContents } from './inline-contents.ts'
import { takePresence } from './presence.ts'
import { beginBefore, compareWith, type Witness } from './witness.ts'

export type FollowState =
  | { is: 'connecting' }
  | { is: 'catching-up' }
  | { is: 'live' }
  | { is: 'offline' }
  | { is: 'retrying'; at: number; why: Error; failures: number }

export type FollowOptions = {
  /** The last event that was handled; from the beginning if there is none. */
  after?: number
  /** Only what happens from now on. */
  start?: 'latest'
  /** Only events that no runner wrote: what users ask of the agent. */
  to?: 'agent'
  signal?: AbortSignal
  onState?: (state: FollowState) => void
  /** The hub gives a sign of life every 15 s; silence for this long means that the connection is dead. */
  silenceMs?: number
  backoff?: Backoff
  online?: Online
  /** Called with small contents, which come before the event that names them; they are not verified. */
  onContent?: (hash: BlobHash, bytes: Uint8Array) => void
  /** Called with who looks at the run and who is typing, when that changes. */
  onPresence?: (presence: Presence) => void
}

/** The hub would not send such a stream: it is read again from the last event that was handled. */
class BrokenStream extends Error {}

/** The hub asked the client to connect again, so it is no failure. */
class ReconnectAsked extends Error {}

/** Events that arrived together. `live`: the reader has all events, as far as this connection knows. */
export type Portion<Event> = { events: Event[]; live: boolean }

/**
 * The events of a run, each once and in order, across lost connections. When the caller asks for the next event, the
 * last one counts as handled. Ends only when the run is closed; throws a Refusal that waiting would not change, or the
 * reason of the signal.
 */
export function follow(
  hub: Hub,
  at: RunAddress,
  options: FollowOptions & { envelope: 'stored' },
): AsyncGenerator<SeenEvent, void, undefined>
export function follow(
  hub: Hub,
  at: RunAddress,
  options?: FollowOptions,
): AsyncGenerator<Followed, void, undefined>
export async function* follow(
  hub: Hub,
  at: RunAddress,
  options: FollowOptions & { envelope?: 'stored' } = {},
): AsyncGenerator<Followed | SeenEvent, void, undefined> {
  for await (const { events } of portions(hub, at, options)) {
    for (const event of events) {
      yield event
      options.signal?.throwIfAborted()
    }
  }
}

export type FollowPortionsOptions = FollowOptions & {
  /**
   * An event at or after `after` that this reader has seen, or null. If it is set, every connection begins with a
   * comparison, and OtherLog is thrown if the hub has another log now.
   */
  witness?: Witness | null
}

/**
 * Like `follow` with whole stored events, but gives events that arrived together in one portion: for readers to which every
 * turn of the event loop matters. A portion may be empty, when only `live` is new.
 */
export function followPortions(
  hub: Hub,
  at: RunAddress,
  options: FollowPortionsOptions = {},
): AsyncGenerator<Portion<SeenEvent>, void, undefined> {
  // With `envelope: 'stored'`, `readEvent` returns only stored events.
  return portions(hub, at, { ...options, envelope: 'stored' }) as AsyncGenerator<Portion<SeenEvent>>
}

async function* portions(
  hub: Hub,
  at: RunAddress,
  options: FollowPortionsOptions & { envelope?: 'stored' },
): AsyncGenerator<Portion<Followed | SeenEvent>, void, undefined> {
  const { to, envelope, signal, onState = () => {}, silenceMs = 40_000, backoff = defaultBackoff } = options
  const online = options.online ?? onlineFor(hub.url)
  let cursor = options.after ?? (options.start === 'latest' ? null : 0)
  let { witness } = options
  let failures = 0

  for (;;) {
    if (!online.now()) {
      onState({ is: 'offline' })
      while (!online.now()) await sleep(Number.POSITIVE_INFINITY, { signal, wake: online.onChange })
      failures = 0
    }
    signal?.throwIfAborted()
    onState({ is: 'connecting' })
    const connection = whileOnline(online, signal)
    let isLive = false
    let read = beginBefore(cursor, witness)
    let openedAt = Number.POSITIVE_INFINITY
    let trouble: Error = new Unreachable('the connection ended, the run did not')
    try {
      const request = followRequest(at, {
        read,
        envelope,
        to,
        start: cursor === null ? 'latest' : undefined,
        contents: options.onContent && 'along',
        presence: options.onPresence && '1',
      })
      const messages = sseMessages({
        send: (signal) => ask(hub, request, signal),
        onOpen: () => {
          openedAt = performance.now()
          onState({ is: 'catching-up' })
        },
        signal: connection.signal,
        silenceMs,
      })
      for await (const arrived of messages) {
        if (options.onContent) takeContents(arrived, options.onContent)
        if (options.onPresence) takePresence(arrived, options.onPresence)
        const steps = followSteps(arrived, { cursor: read, to, envelope })
        const { live, cursor: reached, last } = steps
        isLive ||= live
        if (witness) {
          const isAll = isLive || last?.kind === 'end'
          compareWith(witness, steps.events as SeenEvent[], { reached, isAll })
        }
        const events = read === cursor ? steps.events : steps.events.filter(({ id }) => id > cursor!)
        if (events.length > 0 || live) yield { events, live: isLive }
        // Only now: a caller that stopped before asking for more gets these events again.
        if (cursor === null || reached === null || reached > cursor) cursor = reached
        read = reached
        if (witness !== undefined && events.length > 0) witness = newer(witness, events.at(-1) as SeenEvent)
        if (events.length > 0) failures = 0
        signal?.throwIfAborted()
        if (live) onState({ is: 'live' })
        if (last?.kind === 'end') return
        if (last?.kind === 'broken') throw new BrokenStream(last.why)
        if (last?.kind === 'reconnect') throw new ReconnectAsked('the hub asked to connect again')
      }
    } catch (error) {
      // Here the client can connect again; errors that a new connection does not help are the caller's.
      signal?.throwIfAborted()
      if (!(isPassing(error) || error instanceof BrokenStream || error instanceof ReconnectAsked)) throw error
      trouble = error as Error
    } finally {
      connection.stop()
    }
    if (!online.now()) continue
    // Only events, or a connection that outlived the longest pause, count as success: a hub may accept connections and crash each time.
    if (performance.now() - openedAt > backoff.maxMs) failures = 0
    if (!(trouble instanceof ReconnectAsked)) failures++
    const waitMs =
      trouble instanceof ReconnectAsked
        ? Math.random() * backoff.firstMs
        : pauseMs(trouble, failures, backoff)
    onState({ is: 'retrying', at: Date.now() + waitMs, why: trouble, failures })
    await sleep(waitMs, { signal, wake: online.onChange })
  }
}

const newer = (witness: Witness | null, { id, timestamp }: SeenEvent): Witness =>
  witness && witness.id > id ? witness : { id, timestamp }
