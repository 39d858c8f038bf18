import { describe, expect, it } from 'vitest'
import { whatToForget } from './what-to-forget.ts'

const limits = { bytes: 100, ageMs: 1000 }

describe('the runs that a cache drops', () => {
  it('are none while all are recent and fit', () => {
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

  it('are the least recently used ones when they do not fit', () => {
    const kept = [
      { run: 'old', bytes: 50, usedAt: 1 },
      { run: 'new', bytes: 60, usedAt: 9 },
      { run: 'middle', bytes: 40, usedAt: 5 },
    ]
    expect(whatToForget(kept, 10, limits)).toEqual(['old'])
  })

  it('are those that were unused for too long, no matter how small', () => {
    expect(whatToForget([{ run: 'a', bytes: 1, usedAt: 0 }], 1001, limits)).toEqual(['a'])
  })
})
