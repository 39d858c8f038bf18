import { expect, it } from 'vitest'
import { type LinkState, stateAfter } from './link-status.ts'

const inStep = { is: 'in-step', files: 3, cursor: 1, waiting: 0, leftOut: 0, onlyHere: 0 } as const
const offline = { is: 'connection', state: { is: 'offline', why: 'gone', retryAt: null } } as const
const live = { is: 'connection', state: { is: 'live' } } as const
const begin: LinkState = { work: { is: 'starting' }, away: null }

it('a folder that lost its hub is in step again when that is back, without being told so twice', () => {
  const before = stateAfter(begin, inStep)
  const away = stateAfter(before, offline)
  expect(away.away).toEqual({ is: 'offline', why: 'gone' })
  expect(stateAfter(away, { is: 'connection', state: { is: 'connecting' } })).toBe(away)
  expect(stateAfter(away, live)).toEqual(before)
})

it('what is to be done while the hub is away is known when it is back', () => {
  const away = stateAfter(begin, offline)
  const edited = stateAfter(away, { is: 'progress', toSend: 2, sent: 0, toApply: 0, applied: 0 })
  expect(stateAfter(edited, live).work).toEqual({ is: 'busy', toSend: 2, toApply: 0 })
})

it('a hub that is only slow to take something is not away', () => {
  const state = { is: 'offline', why: 'full', retryAt: null, listening: true } as const
  expect(stateAfter(begin, { is: 'connection', state }).away).toBeNull()
})
