import { describe, expect, it } from 'vitest'
import { median, percentile, ratios, spread } from './statistics.ts'

describe('statistics', () => {
  it('the median sorts by value, not by text', () => {
    expect(median([100, 9, 20])).toBe(20)
    expect(median([1, 2, 3, 10])).toBe(2.5)
  })

  it('the 99th percentile of a hundred samples leaves one above it', () => {
    const samples = Array.from({ length: 100 }, (_, n) => n + 1)
    expect(percentile(samples, 0.99)).toBe(99)
    expect(percentile(samples, 0.5)).toBe(50)
    expect(percentile([7], 0.99)).toBe(7)
  })

  it('ratios compare what was measured in the same round', () => {
    expect(ratios([10, 40], [5, 10])).toEqual([2, 4])
  })

  it('a spread names the middle and both ends', () => {
    expect(spread([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 })
  })
})
