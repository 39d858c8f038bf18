import { describe, expect, it } from 'vitest'
import { whatToForget } from './what-to-forget.ts'

const limits = { bytes: 100, ageMs: 1000 }

describe('what a cache forgets', () => {
  it('is nothing while all is recent and fits', () => {
    expect(
      whatToForget(
        [
          { run: 'a', bytes: 60, usedAt: 5 },
          { run: 'b', bytes: 40, usedAt: 9 },
        ],
        10,
        limits,
      ),
    ).toEqual([])
  })

  it('is what was used least recently when it does not fit', () => {
    const kept = [
      { run: 'old', bytes: 50, usedAt: 1 },
      { run: 'new', bytes: 60, usedAt: 9 },
      { run: 'middle', bytes: 40, usedAt: 5 },
    ]
    expect(whatToForget(kept, 10, limits)).toEqual(['old'])
  })

  it('is what was not used for too long, however small', () => {
    expect(whatToForget([{ run: 'a', bytes: 1, usedAt: 0 }], 1001, limits)).toEqual(['a'])
  })
})
