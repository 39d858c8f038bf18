import { describe, expect, it } from 'vitest'
import { seededRandom } from './seeded-random.ts'

const first = (seed: number) => Array.from({ length: 100 }, seededRandom(seed))

describe('seededRandom', () => {
  it('are the same for the same seed, and others for another', () => {
    expect(first(7)).toEqual(first(7))
    expect(first(8)).not.toEqual(first(7))
  })

  it('are from 0 up to 1, and no two alike', () => {
    expect(first(7).every((number) => number >= 0 && number < 1)).toBe(true)
    expect(new Set(first(7)).size).toBe(100)
  })
})
