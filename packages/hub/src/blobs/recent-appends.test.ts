import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { RecentAppends } from './recent-appends.ts'

describe('bytes that were appended just now', () => {
  it('are found from any position within one append, and not across two', () => {
    const fresh = new RecentAppends()
    const all = randomBytes(300)
    for (const at of [0, 100, 200]) fresh.push({ segment: 1, start: 50 + at }, all.subarray(at, at + 100))
    for (let from = 0; from < 300; from++) {
      const room = 100 - (from % 100)
      expect(fresh.find(1, 50 + from, room)?.equals(all.subarray(from, from + room))).toBe(true)
      expect(fresh.find(1, 50 + from, room + 1)).toBeNull()
    }
    expect(fresh.find(1, 49, 1)).toBeNull()
    expect(fresh.find(2, 50, 1)).toBeNull()
  })

  it('are let go of when there are more of them than a few megabytes, the oldest first', () => {
    const fresh = new RecentAppends()
    const size = 50_000
    for (let n = 0; n < 1000; n++) fresh.push({ segment: 1, start: n * size }, Buffer.alloc(size, n))
    const kept = Array.from({ length: 1000 }, (_, n) => fresh.find(1, n * size, size) !== null)
    expect(kept.filter(Boolean).length * size).toBeGreaterThan(4_000_000)
    expect(kept.filter(Boolean).length * size).toBeLessThan(4_400_000)
    expect(kept.lastIndexOf(false)).toBeLessThan(kept.indexOf(true))
  })

  it('are forgotten with their segment, and with no other', () => {
    const fresh = new RecentAppends()
    for (const segment of [1, 2, 3]) fresh.push({ segment, start: 0 }, Buffer.from([segment]))
    fresh.drop(2)
    expect([1, 2, 3].map((segment) => fresh.find(segment, 0, 1)?.[0] ?? null)).toEqual([1, null, 3])
  })
})
