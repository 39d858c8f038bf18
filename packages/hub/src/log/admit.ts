import type { Author, KeyStamp, ProducerStamp, StoredEvent } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import type { Batch } from './event-log.ts'
import { keyName, type LogState } from './log-state.ts'
import { idsOfStamps, producerName, writerName } from './producers.ts'

/** The events of a batch that an earlier try has stored: their ids, or how to find them in the log. */
export type Earlier =
  | number[]
  | { producer: string; epoch: number; seq: number; count: number; forkedAt: number }

/** What an earlier try has stored of a batch, and what is still to be stored. */
export type Admission = { earlier: Earlier; events: StoredEvent[] }

const producersPerRun = 4096
const mostBackMs = 60_000

/** Decides which events of a batch are new, and gives them ids and a time. Throws a Fault if they may not be stored. */
export function admit(state: LogState, batch: Batch, nowMs: number): Admission {
  const { notifications, by, producer, key, life } = batch
  if (by.kind === 'runner') checkGeneration(by.generation, producer, state.view.generation)

  const keyed = key && knownKey(state, by, key)
  if (keyed !== undefined) return { earlier: [keyed], events: [] }

  const stored = producer ? storedBefore(state, by, producer, notifications.length) : 0
  const earlier = producer && stored > 0 ? earlierIds(state, by, producer, stored) : []
  if (stored === notifications.length) return { earlier, events: [] }
  if (batch.refusal) throw batch.refusal
  if (life !== undefined) checkLife(state, by, life)

  // If the clock was set back a little, times in the log must not run backwards. If it was far ahead before, it was wrong then:
  // keeping that time would give all events a wrong time until the clock catches up.
  const timestamp = isoTime(state.timeMs - nowMs > mostBackMs ? nowMs : Math.max(nowMs, state.timeMs))
  const events: StoredEvent[] = []
  for (let index = stored; index < notifications.length; index += 1) {
    const id = state.lastId + 1 + events.length
    const event: StoredEvent = {
      id,
      type: 'notification',
      timestamp,
      notification: notifications[index]!,
      by,
    }
    if (producer) event.producer = { ...producer, seq: producer.seq + index }
    if (key) event.key = key
    if (life !== undefined) event.life = life
    events.push(event)
  }
  return { earlier, events }
}

/** Refuses late requests of an older life of a device: they would undo work that the newer life has seen (W34). */
function checkLife(state: LogState, by: Author, life: number): void {
  const current = state.lives.get(writerName(by))
  if (current === undefined || life >= current) return
  throw new Fault('device.fenced', `life ${life} of this device is over, ${current} writes now`, { current })
}

let lastMs = Number.NaN
let lastIso = ''

// Cached, as many events share a millisecond and formatting a date costs as much as the rest of admitting an event.
function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString()
    lastMs = ms
  }
  return lastIso
}

function checkGeneration(generation: number, producer: ProducerStamp | undefined, current: number): void {
  if (generation !== current) {
    throw new Fault('runner.fenced', `generation ${generation} is over, ${current} writes now`, { current })
  }
  if (!producer || producer.epoch === generation) return
  if (producer.epoch < generation) {
    throw new Fault('producer.fenced', `epoch ${producer.epoch} is over`, { current: generation })
  }
  throw new Fault('request.malformed', `a runner's epoch is its generation, ${generation}`, {
    field: 'Producer-Epoch',
  })
}

function knownKey(state: LogState, by: Author, key: KeyStamp): number | undefined {
  const known = state.keys.get(keyName(by, key))
  if (known && known.body !== key.body) {
    throw new Fault('key.reused', `the key ${key.key} came with another body before: use a new key`)
  }
  return known?.id
}

function storedBefore(state: LogState, by: Author, stamp: ProducerStamp, count: number): number {
  const known = state.producers.get(producerName(by, stamp.id))
  if (known && stamp.epoch < known.epoch) {
    throw new Fault('producer.fenced', `epoch ${stamp.epoch} is over`, { current: known.epoch })
  }
  const expected = known?.epoch === stamp.epoch ? known.nextSeq : 0
  if (stamp.seq > expected) {
    throw new Fault('producer.gap', `expected seq ${expected}, got ${stamp.seq}`, { expected })
  }
  if (!known && state.producers.size >= producersPerRun) {
    throw new Fault(
      'request.malformed',
      'too many producers wrote to this run: keep the id, raise the epoch',
      { field: 'Producer-Id' },
    )
  }
  return Math.min(expected - stamp.seq, count)
}

function earlierIds(state: LogState, by: Author, stamp: ProducerStamp, count: number): Earlier {
  const producer = producerName(by, stamp.id)
  const ids = idsOfStamps(state.producers.get(producer)!, stamp.seq, count)
  return ids ?? { producer, epoch: stamp.epoch, seq: stamp.seq, count, forkedAt: state.forkedAt }
}
