import { describe, expect, it } from 'vitest'
import { defaultShare, isWaitedFor, runsWithRoom } from './fair-share.ts'

const line = (...runs: string[]) => runs.map((run) => ({ run, user: run[0]! }))
const held = (counts: Record<string, number> = {}) => new Map(Object.entries(counts))
const room = (
  waiting: ReturnType<typeof line>,
  has: ReturnType<typeof held>,
  most: number,
  perUser = most,
) => [...runsWithRoom(waiting, has, { most, perUser })]

describe('W51 runs that wait for a sandbox', () => {
  it('are served in their order as long as all are of one user', () => {
    expect(room(line('a1', 'a2', 'a3'), held(), 2)).toEqual(['a1', 'a2'])
  })

  it('are served by turns of their users, even if one user’s wait longer', () => {
    expect(room(line('a1', 'a2', 'a3', 'b1'), held(), 2)).toEqual(['a1', 'b1'])
    expect(room(line('a2', 'b1'), held({ a: 1 }), 2)).toEqual(['b1'])
    expect(room(line('a2', 'a3', 'b1', 'b2', 'c1'), held({ a: 1 }), 5)).toEqual(['b1', 'c1', 'a2', 'b2'])
  })

  it('leave room empty rather than give a user more than their share', () => {
    expect(room(line('a2', 'a3'), held({ a: 1 }), 4, 2)).toEqual(['a2'])
    expect(room(line('a3'), held({ a: 2 }), 4, 2)).toEqual([])
    expect(room(line('a3', 'b1'), held({ a: 2 }), 4, 2)).toEqual(['b1'])
  })

  it('get nothing if there is no room left', () => {
    expect(room(line('b1'), held({ a: 2 }), 2)).toEqual([])
    expect(room(line('b1'), held({ a: 3 }), 2)).toEqual([])
  })
})

it('only sandboxes whose place a waiting run could take are ended sooner', () => {
  const share = { most: 4, perUser: 2 }
  expect(isWaitedFor('b', line('a3'), held({ a: 2, b: 1 }), share)).toBe(false)
  expect(isWaitedFor('a', line('a3'), held({ a: 2, b: 1 }), share)).toBe(true)
  expect(isWaitedFor('b', line('a3', 'c1'), held({ a: 2, b: 2 }), share)).toBe(true)
  expect(isWaitedFor('b', [], held({ a: 2 }), share)).toBe(false)
})

it('the share of a single user is all sandboxes, and half of them if there are others', () => {
  expect([defaultShare(2, 1), defaultShare(2, 2), defaultShare(1, 5), defaultShare(5, 3)]).toEqual([
    2, 1, 1, 3,
  ])
})
