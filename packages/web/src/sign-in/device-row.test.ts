import { expect, it } from 'vitest'
import { lastSeenInWords } from './device-row.tsx'

const now = Date.parse('2026-03-10T12:00:00Z')

it('the time when a device was seen last is no more exact than it is known', () => {
  expect(lastSeenInWords('2026-03-10T11:56:00Z', now)).toBe('here a moment ago')
  expect(lastSeenInWords('2026-03-10T11:50:00Z', now)).toBe('last seen 10 min ago')
  expect(lastSeenInWords('2026-03-08T12:00:00Z', now)).toBe('last seen 2 d ago')
  expect(lastSeenInWords('2026-02-01T12:00:00Z', now)).toBe('last seen on 2026-02-01')
})
