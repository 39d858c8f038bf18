import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import { describe, expect, it } from 'vitest'
import { outcomeOf } from './outcome.ts'

const view = (more: Partial<RunView>): RunView => ({ ...emptyRunView, ...more })
const done = view({ status: 'active', turns: 1, stopReason: 'end_turn' })

describe('the outcome of a scheduled run', () => {
  it('W94 is open before its first turn, during a turn and while a question or a message waits', () => {
    expect(outcomeOf(view({}))).toBeNull()
    expect(outcomeOf({ ...done, openTurns: [{ messageId: 5, acks: 1, generation: 1 }] })).toBeNull()
    expect(outcomeOf({ ...done, unacked: [{ from: 9, length: 1 }] as never })).toBeNull()
  })

  it('W94 is finished when its work is over', () => {
    expect(outcomeOf(done)).toEqual({ state: 'finished', reason: null })
    expect(outcomeOf({ ...done, status: 'closed' })).toMatchObject({ state: 'finished' })
  })

  it.each([
    ['a run that could not go on', { status: 'failed' as const, turns: 0 }],
    ['a turn that ended badly', { stopReason: 'refusal' }],
    ['work that was cancelled', { stopReason: 'cancelled' }],
    ['a run that was closed before its work was done', { status: 'closed' as const, turns: 0 }],
  ])('W94 is failed with the reason for %s', (_, more) => {
    expect(outcomeOf({ ...done, ...more })).toEqual({ state: 'failed', reason: expect.any(String) })
  })
})
