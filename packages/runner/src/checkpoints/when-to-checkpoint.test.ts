import { describe, expect, it } from 'vitest'
import { msToCheckpoint, pace, type Since } from './when-to-checkpoint.ts'

const minute = 60_000
const quiet: Since = {
  now: 100 * minute,
  lastAt: 95 * minute,
  changedAt: null,
  files: 0,
  bytes: 0,
  deleted: 0,
  hasCommits: false,
  isTurnOver: false,
}
const changed: Since = { ...quiet, changedAt: 99 * minute, files: 1 }

describe('the time for a checkpoint', () => {
  it('never comes while nothing has changed, even when a turn ends', () => {
    expect(msToCheckpoint(quiet)).toBeNull()
    expect(msToCheckpoint({ ...quiet, isTurnOver: true, lastAt: null })).toBeNull()
  })

  it('comes ten minutes after the first change, however long there was none', () => {
    expect(msToCheckpoint(changed)).toBe(9 * minute)
    expect(msToCheckpoint({ ...changed, lastAt: null })).toBe(9 * minute)
    expect(msToCheckpoint({ ...changed, changedAt: 80 * minute })).toBe(0)
  })

  it.each([
    ['many files', { files: pace.files }],
    ['many bytes', { bytes: pace.bytes }],
    ['many deletions', { deleted: pace.deleted }],
    ['a commit', { hasCommits: true }],
  ])('comes soon after %s', (_, what) => {
    expect(msToCheckpoint({ ...changed, ...what })).toBe(0)
    // What comes in one go is waited for.
    expect(msToCheckpoint({ ...changed, changedAt: changed.now, ...what })).toBe(pace.settleMs)
  })

  it('comes at the end of a turn, but not once for each of many short ones', () => {
    expect(msToCheckpoint({ ...changed, isTurnOver: true })).toBe(0)
    const soon = { ...changed, isTurnOver: true, lastAt: changed.now - 1_000 }
    expect(msToCheckpoint(soon)).toBe(pace.turnMs - 1_000)
  })

  it('is not all the time, however much happens', () => {
    const busy = { ...changed, files: 10_000, hasCommits: true, isTurnOver: true, lastAt: changed.now - 1 }
    expect(msToCheckpoint(busy)).toBeGreaterThan(20_000)
  })
})
