import { isEvent } from '@farhand/protocol/events/event-names'
import { foldRunView } from '@farhand/protocol/runs/fold-run-view'
import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import type { Author, KeyStamp, StoredEvent } from '@farhand/protocol/wire/event'
import { type Producers, producerName, rememberStamp, writerName } from './producers.ts'

/** Everything from the past of a log that is needed to admit the next event: a fold of its lines. */
export type LogState = {
  lastId: number
  /** The time of the last event. */
  timeMs: number
  view: RunView
  producers: Producers
  keys: Map<string, { id: number; body: string }>
  /** The newest life of each device (W34), the one that began last at the end. */
  lives: Map<string, number>
  /** In a fork, the last line copied from the other run (W39); 0 if this is no fork. */
  forkedAt: number
}

/** How many keyed messages of a run are remembered (W9). */
export const keysKept = 4096
/** How many devices of a run have their life remembered (W34). */
export const livesKept = 4096

export const emptyLogState = (): LogState => ({
  lastId: 0,
  timeMs: 0,
  view: emptyRunView,
  producers: new Map(),
  keys: new Map(),
  lives: new Map(),
  forkedAt: 0,
})

/** Adds the next event to the state. All changes happen here, so that reading the log after a restart gives the same state. */
export function remember(state: LogState, event: StoredEvent): void {
  state.view = foldRunView(state.view, event)
  state.lastId = event.id
  state.timeMs = timeOf(event.timestamp)
  if (isEvent(event.notification, 'forked')) beginAnew(state, event.id)
  const { by, producer, key, life } = event
  if (producer) rememberStamp(state.producers, producerName(by, producer.id), producer, event.id)
  if (key) {
    state.keys.set(keyName(by, key), { id: event.id, body: key.body })
    if (state.keys.size > keysKept) state.keys.delete(state.keys.keys().next().value!)
  }
  if (life !== undefined && life !== state.lives.get(writerName(by))) {
    state.lives.delete(writerName(by))
    state.lives.set(writerName(by), life)
    if (state.lives.size > livesKept) state.lives.delete(state.lives.keys().next().value!)
  }
}

/** In a fork: keys, stamps and lives of the other run must not make new events look like duplicates. */
function beginAnew(state: LogState, forkedAt: number): void {
  for (const memory of [state.producers, state.keys, state.lives]) memory.clear()
  state.forkedAt = forkedAt
}

let lastTimestamp = ''
let lastTimeMs = 0

// Cached, as many events share a millisecond and parsing a date is slow.
function timeOf(timestamp: string): number {
  if (timestamp !== lastTimestamp) {
    lastTimestamp = timestamp
    lastTimeMs = Date.parse(timestamp) || 0
  }
  return lastTimeMs
}

export const keyName = (by: Author, key: KeyStamp): string => `${writerName(by)}\n${key.key}`

/** The last seq stored for the runner's current generation, or null. */
export function runnerSeq(state: LogState): number | null {
  const runner = state.producers.get('runner')
  return runner?.epoch === state.view.generation ? runner.nextSeq - 1 : null
}
