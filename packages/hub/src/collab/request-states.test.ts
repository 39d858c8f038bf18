import { RequestState } from '@farhand/protocol/schemas/requests'
import { expect, it } from 'vitest'
import { finalStates, isFinal, mayFollow } from './request-states.ts'

it('W104 done, failed, expired and canceled are final, and every other state leads to one of them', () => {
  expect(finalStates.toSorted()).toEqual(['canceled', 'done', 'expired', 'failed'])
  const reaches = (state: RequestState, seen = new Set<RequestState>()): boolean => {
    if (isFinal(state)) return true
    seen.add(state)
    return RequestState.options.some(
      (next) => mayFollow(state, next) && !seen.has(next) && reaches(next, seen),
    )
  }
  for (const state of RequestState.options) expect(reaches(state), state).toBe(true)
})

it('W104 a request that was given to a device is never queued again: two devices could do it', () => {
  for (const state of ['sent', 'working', 'done'] as const) {
    expect(mayFollow(state, 'queued')).toBe(false)
    expect(mayFollow(state, 'offered')).toBe(false)
  }
})
