import { describe, expect, it } from 'vitest'
import { elapsedInWords, wordsHoldMs } from './time-in-words.ts'

const began = '2026-01-01T10:00:00.000Z'
const after = (seconds: number) => Date.parse(began) + seconds * 1000

describe('time in words', () => {
  it('counts a running time in its two largest units', () => {
    expect(elapsedInWords(began, after(12))).toBe('12 s')
    expect(elapsedInWords(began, after(200))).toBe('3 min')
    expect(elapsedInWords(began, after(7500))).toBe('2 h 5 min')
    expect(elapsedInWords(began, after(7200))).toBe('2 h')
    expect(elapsedInWords(began, after(90_000))).toBe('1 d 1 h')
  })

  it('is never negative if a clock is behind', () => {
    expect(elapsedInWords(began, after(-30))).toBe('0 s')
  })

  it('updates no more often than its words change', () => {
    expect(wordsHoldMs(began, after(5), true)).toBe(1000)
    expect(wordsHoldMs(began, after(5), false)).toBe(55_000)
    expect(wordsHoldMs(began, after(100), true)).toBe(60_000)
    expect(wordsHoldMs(began, after(100_000), false)).toBe(3_600_000)
  })
})
