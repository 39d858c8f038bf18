import { expect, it } from 'vitest'
import { idleInWords } from './idle-in-words.ts'

const lastSeenAt = '2026-03-01T12:00:00.000Z'
const after = (hours: number) => new Date(Date.parse(lastSeenAt) + hours * 3600_000).toISOString()

it.each([
  [1, 'an hour'],
  [24, '24 hours'],
  [48, '48 hours'],
  [90 * 24, '90 days'],
])('a session that ends %d hours after its last use ends after %s', (hours, words) => {
  expect(idleInWords({ lastSeenAt, expiresAt: after(hours) })).toBe(words)
})

it('nothing is said if the hub does not say when a session ends, or it lasts for minutes', () => {
  expect(idleInWords({ lastSeenAt })).toBeNull()
  expect(idleInWords({ lastSeenAt, expiresAt: after(0.1) })).toBeNull()
})
