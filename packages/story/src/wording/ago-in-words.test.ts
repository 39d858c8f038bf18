import { expect, it } from 'vitest'
import { agoInWords } from './ago-in-words.ts'

const began = '2026-01-01T10:00:00.000Z'
const after = (seconds: number) => Date.parse(began) + seconds * 1000

it('gives the age of a past time, and its date when it is old', () => {
  expect([59, 60, 3600, 86_400, 700_000].map((seconds) => agoInWords(began, after(seconds)))).toEqual([
    'now',
    '1 min',
    '1 h',
    '1 d',
    '2026-01-01',
  ])
})

it('is never negative if a clock is behind', () => {
  expect(agoInWords(began, after(-30))).toBe('now')
})
