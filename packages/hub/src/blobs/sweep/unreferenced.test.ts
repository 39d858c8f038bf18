import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { describe, expect, it } from 'vitest'
import { unreferenced } from './unreferenced.ts'

const now = new Date('2026-06-01T00:00:00.000Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 3600_000)
const hash = BlobHash.parse(`sha256_${'a'.repeat(64)}`)

/** Whether a blob may go that was used, and is needed by logs until, so many days ago. */
function mayGo(used: number, needed: (number | 'still' | 'never')[], kept = false): boolean {
  const logs = needed.map((days) => {
    if (days === 'never') return new Map<BlobHash, number>()
    return new Map([[hash, days === 'still' ? Infinity : daysAgo(days).getTime()]])
  })
  return unreferenced([{ hash, usedAt: daysAgo(used), kept }], logs, now).length > 0
}

describe('a blob', () => {
  it('W25 may go 30 days after its last use if no log ever named it', () => {
    expect(mayGo(29.9, [])).toBe(false)
    expect(mayGo(30.1, [])).toBe(true)
    expect(mayGo(30.1, ['never'])).toBe(true)
  })

  it('W25 may go 30 days after its last need and its last use, whichever came later', () => {
    expect(mayGo(31, [31])).toBe(true)
    expect(mayGo(29, [31])).toBe(false)
    expect(mayGo(31, [29])).toBe(false)
  })

  it('W25 stays as long as one log of the project needs it', () => {
    expect(mayGo(400, ['still'])).toBe(false)
    expect(mayGo(400, [100, 'still', 'never'])).toBe(false)
    expect(mayGo(400, [100, 29, 'never'])).toBe(false)
    expect(mayGo(400, [100, 31, 'never'])).toBe(true)
  })

  it('W25 stays for good if it is kept', () => {
    expect(mayGo(4000, ['never'], true)).toBe(false)
  })
})
