import { expect, it } from 'vitest'
import { isLookedAt } from './use-looking.ts'

it('a page is looked at while it is visible and the user was active recently', () => {
  const minute = 60_000
  expect(isLookedAt({ isVisible: true, lastSign: 0, now: minute })).toBe(true)
  expect(isLookedAt({ isVisible: true, lastSign: 0, now: 3 * minute })).toBe(false)
  expect(isLookedAt({ isVisible: false, lastSign: minute, now: minute })).toBe(false)
})
