import { laptop, web } from '@farhand/protocol/events/sample-log'
import { Fault } from '@farhand/protocol/wire/faults'
import { describe, expect, it } from 'vitest'
import { admit } from './admit.ts'
import type { Batch } from './event-log.ts'
import { emptyLogState, keysKept, type LogState, remember } from './log-state.ts'
import { said } from './log-under-test.ts'

const now = Date.UTC(2026, 0, 1)

function stateAfter(...batches: Batch[]): LogState {
  const state = emptyLogState()
  for (const batch of batches) for (const event of admit(state, batch, now).events) remember(state, event)
  return state
}

const stamped = (seq: number, ...texts: string[]): Batch => ({
  by: laptop,
  notifications: texts.map(said),
  producer: { id: 'p', epoch: 0, seq },
})
const keyed = (key: string): Batch => ({ by: web, notifications: [said(key)], key: { key, body: key } })

describe('admitting a batch', () => {
  it('W7 stamps each event with its own seq', () => {
    const { events } = admit(emptyLogState(), stamped(0, 'a', 'b'), now)
    expect(events.map(({ id, producer }) => [id, producer?.seq])).toEqual([
      [1, 0],
      [2, 1],
    ])
  })

  it('changes nothing: a second look at the same batch decides the same', () => {
    const state = stateAfter(stamped(0, 'a'))
    const before = structuredClone(state)
    const first = admit(state, stamped(0, 'a', 'b'), now)
    expect(admit(state, stamped(0, 'a', 'b'), now)).toEqual(first)
    expect(state).toEqual(before)
  })

  it('W7 a refusal holds for the new events, not for those that are already stored', () => {
    const state = stateAfter(stamped(0, 'a'))
    const refusal = new Fault('run.closed', 'closed')
    expect(admit(state, { ...stamped(0, 'a'), refusal }, now)).toEqual({ earlier: [1], events: [] })
    expect(() => admit(state, { ...stamped(0, 'a', 'b'), refusal }, now)).toThrow(refusal)
  })

  it('W7 events that are too old to be remembered are looked for in the log', () => {
    const batches: Batch[] = []
    for (let seq = 0; seq < 300; seq += 1) {
      batches.push(stamped(seq, 'a'), { by: web, notifications: [said('between')] })
    }
    const state = stateAfter(...batches)
    expect(admit(state, stamped(299, 'a'), now).earlier).toEqual([599])
    expect(admit(state, stamped(0, 'a', 'a'), now).earlier).toMatchObject({ epoch: 0, seq: 0, count: 2 })
  })

  it('W7 a run with too many producers refuses another one and says what to do', () => {
    const state = emptyLogState()
    for (let n = 0; n < 4096; n += 1) state.producers.set(`web\n${n}`, { epoch: 0, nextSeq: 1, spans: [] })
    expect(() => admit(state, stamped(0, 'a'), now)).toThrow(/raise the epoch/)
  })

  it('W9 a limited number of the newest keys is remembered', () => {
    const keys = Array.from({ length: keysKept + 1 }, (_, n) => `key ${n}`)
    const state = stateAfter(...keys.map(keyed))
    expect(admit(state, keyed('key 1'), now)).toEqual({ earlier: [2], events: [] })
    expect(admit(state, keyed('key 0'), now).events).toHaveLength(1)
  })
})
