import { describe, expect, it } from 'vitest'
import { backoffMs } from './backoff.ts'

const backoff = { firstMs: 100, maxMs: 1000 }

describe('backoffMs', () => {
  it('doubles with every failure until the most it may be', () => {
    const longest = [1, 2, 3, 4, 5, 60, 5000].map((failures) => backoffMs(failures, backoff, () => 1))
    expect(longest).toEqual([100, 200, 400, 800, 1000, 1000, 1000])
  })

  it('spreads out callers that failed together, but no pause is shorter than half', () => {
    expect(backoffMs(3, backoff, () => 0)).toBe(200)
    expect(backoffMs(3, backoff, () => 0.5)).toBe(300)
  })
})
