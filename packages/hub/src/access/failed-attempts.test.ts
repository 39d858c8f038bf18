import { expect, it } from 'vitest'
import { FailedAttempts } from './failed-attempts.ts'

it('a client with too many attempts in a minute is blocked until that minute is over; other clients are not', () => {
  const tries = new FailedAttempts()
  for (let count = 0; count < 20; count += 1) {
    expect(tries.isTooMany('a', count)).toBe(false)
    tries.note('a', count)
  }
  expect(tries.isTooMany('a', 59_999)).toBe(true)
  expect(tries.isTooMany('b', 59_999)).toBe(false)
  expect(tries.isTooMany('a', 60_000)).toBe(false)
})
