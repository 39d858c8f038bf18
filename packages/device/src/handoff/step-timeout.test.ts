import { expect, it } from 'vitest'
import type { HandoffState } from './decide-handoff.ts'
import { hasTimedOut, waitingAfter } from './step-timeout.ts'

const resting: HandoffState = {
  status: 'active',
  agentStatus: 'idle',
  isOnDevice: true,
  isHeard: true,
  rests: null,
  isHostedHere: true,
}
const seen = (generation: number, more: Partial<HandoffState> = {}) => ({
  generation,
  standing: { ...resting, ...more },
})
const most = { rest: 100, end: 10 }

it('a runner that says nothing is waited for until its time is over, and not once more when it is asked again', () => {
  const asked = waitingAfter(null, 'rest', seen(1), 0)
  const again = waitingAfter(asked, 'rest', seen(1), 60)
  expect([hasTimedOut(again, 100, most), hasTimedOut(again, 101, most)]).toEqual([false, true])
  // Another one has come: it has its own time.
  expect(hasTimedOut(waitingAfter(again, 'rest', seen(2), 101), 150, most)).toBe(false)
})

it('one that is busy, or in the middle of a turn, is waited for however long that takes', () => {
  const busy = waitingAfter(null, 'rest', seen(1, { rests: false }), 0)
  const turn = waitingAfter(busy, 'settle', seen(1), 5)
  expect([hasTimedOut(busy, 1e9, most), hasTimedOut(turn, 1e9, most)]).toEqual([false, false])
})

it('one that has nothing left to do but to end has less time, and one that is elsewhere none to wait for', () => {
  const before = waitingAfter(null, 'rest', seen(1), 0)
  const ending = waitingAfter(before, 'take', seen(1, { isHeard: false }), 90)
  expect([hasTimedOut(ending, 100, most), hasTimedOut(ending, 101, most)]).toEqual([false, true])
  expect(hasTimedOut(waitingAfter(null, 'take', seen(1, { isHostedHere: false }), 0), 1e9, most)).toBe(false)
})
