import { type PackedBlob, post } from '@farhand/client/post/post'
import { Producer, ProducerFull } from '@farhand/client/post/producer'
import type { CallOptions } from '@farhand/client/requests/call'
import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { Unconfirmed } from '@farhand/client/requests/unconfirmed'
import { unlessStopped } from '@farhand/kit/unless-stopped'
import type { Notification } from '@farhand/protocol/wire/event'
import { randomName } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { DeviceLife } from './device-life.ts'

/**
 * Stores events, all or none and once, with the blobs they name; gives their ids. Waits for a hub that
 * is away, and throws the Refusal of one that is not.
 */
export type LogWriter = (
  events: readonly Notification[],
  blobs: readonly PackedBlob[],
  options: CallOptions & { signal: AbortSignal },
) => Promise<readonly number[]>

/** Writes as one device of a user. */
export function deviceWriter(hub: Hub, at: RunAddress, life?: DeviceLife): LogWriter {
  // The name is unique, so a counter makes unique keys: a random key for each event would cost more than sending it.
  const name = randomName()
  let sent = 0
  let producer: Producer | null = null
  return async (events, blobs, options) => {
    const patient = { ...options, patienceMs: Number.POSITIVE_INFINITY }
    if (events.length === 1) {
      const key = `${name}.${sent++}`
      return [(await counted(life, post(hub, at, events[0]!, { ...patient, blobs, key }))).lastEventId]
    }
    // Only a single event can go under a key. Numbered ones are remembered for each producer of a run, of which a hub
    // accepts a few thousand: so there is one for each life, and only if it is needed.
    // It outlives the call that created it, so each call passes its own `onTrouble` to `idsOf`.
    const { onTrouble: _, ...lasting } = options
    producer ??= new Producer(hub, at, { ...lasting, id: randomName(), epoch: 0 })
    try {
      return await idsOf(producer, events, blobs, options, life)
    } catch (error) {
      producer = null
      throw error
    }
  }
}

/** Counts requests under way: if some are left when a life ends, the next life has to know (W34). */
async function counted<T>(life: DeviceLife | undefined, sending: Promise<T>): Promise<T> {
  if (life) life.underWay += 1
  try {
    const answer = await sending
    if (life) life.underWay -= 1
    return answer
  } catch (error) {
    if (life && (error instanceof Refusal || error instanceof ProducerFull)) life.underWay -= 1
    // A refusal is what it was refused for, whether or not an earlier try got lost: this reader of the log will see.
    throw error instanceof Unconfirmed ? (error.cause ?? error) : error
  }
}

/** Writes as the run's runner, in line with everything else that its producer sends. */
export function runnerWriter(producer: Producer): LogWriter {
  return (events, blobs, options) => idsOf(producer, events, blobs, options)
}

async function idsOf(
  producer: Producer,
  events: readonly Notification[],
  blobs: readonly PackedBlob[],
  { signal, onTrouble }: CallOptions & { signal: AbortSignal },
  life?: DeviceLife,
): Promise<readonly number[]> {
  // After an abort the caller has ended its attempt: trouble reported later would never be cleared.
  const unlessOver = (trouble: unknown, retryMs: number) => {
    if (!signal.aborted) onTrouble?.(trouble, retryMs)
  }
  for (;;) {
    try {
      return await unlessStopped(
        signal,
        counted(life, producer.send(events, { blobs, onTrouble: unlessOver })),
      )
    } catch (error) {
      if (!(error instanceof ProducerFull)) throw error
      await unlessStopped(signal, producer.idle())
    }
  }
}
