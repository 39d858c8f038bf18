import { describe, expect, it } from 'vitest'
import { firstSeen, isUnread, readSeen, withSeen } from './seen-runs.ts'

const at = (event: number, activeAt: string | null = null) => ({ event, activeAt })

describe('seen runs', () => {
  it('call a run unread that the user has not seen here, or that went on since', () => {
    const seen = withSeen({}, 'run_a', at(7, '2026-01-01T10:00:00Z'))
    expect(isUnread(seen, 'run_b', at(3))).toBe(true)
    expect(isUnread(seen, 'run_b', at(0))).toBe(false)
    expect(isUnread(seen, 'run_a', at(9, '2026-01-01T10:05:00Z'))).toBe(true)
    expect(isUnread(seen, 'run_a', at(7, '2026-01-01T10:00:00Z'))).toBe(false)
  })

  it('begin in a new browser with nothing unread', () => {
    const seen = withSeen(firstSeen(Date.parse('2026-01-01T10:00:00Z')), 'run_a', at(1))
    expect(isUnread(seen, 'run_b', at(9, '2026-01-01T09:59:00.000Z'))).toBe(false)
    expect(isUnread(seen, 'run_b', at(9, '2026-01-01T10:01:00.000Z'))).toBe(true)
    expect(isUnread(readSeen(JSON.stringify(seen)), 'run_b', at(9, '2026-01-01T09:00:00.000Z'))).toBe(false)
  })

  it('do not count falling asleep as news', () => {
    const seen = withSeen({}, 'run_a', at(7, '2026-01-01T10:00:00Z'))
    expect(isUnread(seen, 'run_a', at(9, '2026-01-01T10:00:00Z'))).toBe(false)
    expect(isUnread(withSeen({}, 'run_a', at(7)), 'run_a', at(9))).toBe(true)
  })

  it('never go back, and drop the oldest of very many', () => {
    const seen = withSeen({}, 'run_a', at(7))
    expect(withSeen(seen, 'run_a', at(5))).toBe(seen)
    const later = withSeen({}, 'run_a', at(7, '2026-01-01T10:05:00Z'))
    expect(withSeen(later, 'run_a', at(5, '2026-01-01T10:00:00Z'))).toBe(later)
    const others = Object.fromEntries(Array.from({ length: 499 }, (_, n) => [`run_${n}`, at(1)]))
    const many = withSeen({ ...seen, ...others }, 'run_499', at(1))
    expect(Object.keys(many)).toHaveLength(500)
    expect(many.run_a).toBeUndefined()
    expect(many.run_499).toEqual(at(1))
  })

  it('read back what they stored, and ignore damaged values', () => {
    expect(readSeen(JSON.stringify({ run_a: at(7), run_b: 'x', run_c: null }))).toEqual({ run_a: at(7) })
    expect(readSeen('{"run_a"')).toEqual({})
    expect(readSeen(null)).toEqual({})
    expect(readSeen('null')).toEqual({})
  })
})

it('a run that was read on another device of the same user is read here, too, unless it went on since', () => {
  const seen = withSeen(firstSeen(0), 'run_a', { event: 3, activeAt: '2026-01-01T00:00:03.000Z' })
  const now = { event: 9, activeAt: '2026-01-01T00:00:09.000Z' }
  expect(isUnread(seen, 'run_a', now)).toBe(true)
  expect(isUnread(seen, 'run_a', now, now)).toBe(false)
  expect(isUnread(firstSeen(0), 'run_b', now, now)).toBe(false)
  expect(isUnread(firstSeen(0), 'run_b', now, { event: 2, activeAt: '2026-01-01T00:00:02.000Z' })).toBe(true)
})
