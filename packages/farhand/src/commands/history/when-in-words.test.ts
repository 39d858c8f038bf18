import { expect, it } from 'vitest'
import { whenInWords } from './when-in-words.ts'

const now = new Date(2026, 10, 16, 11, 45, 30)
const at = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString()

it.each([
  [at(2026, 10, 16, 11, 45), 'just now'],
  [at(2026, 10, 16, 11, 47), 'just now'],
  [at(2026, 10, 16, 11, 44), 'a minute ago'],
  [at(2026, 10, 16, 11, 5), '40 minutes ago'],
  [at(2026, 10, 16, 0, 5), 'today 00:05'],
  [at(2026, 10, 15, 23, 59), 'yesterday 23:59'],
  [at(2026, 10, 11, 9, 3), 'Wednesday 09:03'],
  [at(2026, 10, 9, 9, 3), '9 Nov 09:03'],
  [at(2025, 10, 16, 9, 3), '16 Nov 2025'],
  [at(2026, 10, 18, 9, 3), '18 Nov 09:03'],
])('%s is %s', (iso, words) => expect(whenInWords(iso, now)).toBe(words))
