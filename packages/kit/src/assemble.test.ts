import { createHash, randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { assemble, type Part } from './assemble.ts'
import { type ContentSums, stepBytes } from './content-sums.ts'

const hexOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const summer = { newHash: () => createHash('sha256'), sum: hexOf }
const base = randomBytes(3 * stepBytes + 1234)
const stretch = (start: number, end: number) => ({ start, end })

async function made(
  parts: Part[],
  { from = base as Uint8Array, like = null as ContentSums | null, most = 1e9 } = {},
) {
  const disk = Buffer.alloc(8 * stepBytes)
  let size = 0
  const sums = await assemble({
    parts,
    summer,
    like,
    async read(into, at) {
      await turn()
      const piece = from.subarray(at, at + Math.min(into.length, most))
      into.set(piece)
      return piece.length
    },
    async write(bytes, at) {
      await turn()
      disk.set(bytes, at)
      size = Math.max(size, at + bytes.length)
    },
  })
  return { sums, bytes: disk.subarray(0, size) }
}

describe('assemble', () => {
  const literal = randomBytes(700_000)
  it.each<[string, Part[], Uint8Array]>([
    ['nothing', [], Buffer.alloc(0)],
    ['bytes alone', [literal], literal],
    ['the same again', [stretch(0, base.length)], base],
    [
      'something inserted',
      [stretch(0, 1_500_000), literal, stretch(1_500_000, base.length)],
      Buffer.concat([base.subarray(0, 1_500_000), literal, base.subarray(1_500_000)]),
    ],
    [
      'parts without bytes',
      [stretch(9, 9), literal, new Uint8Array(), stretch(0, 5)],
      Buffer.concat([literal, base.subarray(0, 5)]),
    ],
    [
      'any order',
      [stretch(5, 10), stretch(0, 5)],
      Buffer.concat([base.subarray(5, 10), base.subarray(0, 5)]),
    ],
  ])('writes %s and says what it hashes to, however little is read at once', async (_, parts, whole) => {
    const like = (await made([stretch(0, base.length)])).sums
    for (const options of [{}, { most: 100_000 }, { like }]) {
      const { sums, bytes } = await made(parts, options)
      expect(sums?.hex).toBe(hexOf(whole))
      expect(bytes.equals(whole)).toBe(true)
    }
  })

  it('hashes the bytes that it writes, not those that the other content should have', async () => {
    const like = (await made([stretch(0, base.length)])).sums
    const changed = Buffer.from(base)
    changed[stepBytes + 17]! ^= 1
    const { sums, bytes } = await made([stretch(0, base.length)], { from: changed, like })
    expect(bytes.equals(changed)).toBe(true)
    expect(sums?.hex).toBe(hexOf(changed))
  })

  it('gives no hash of a content that lacks bytes', async () => {
    expect((await made([stretch(base.length - 5, base.length + 1)])).sums).toBeNull()
  })

  it('throws when it cannot write any more', async () => {
    const full = () => Promise.reject(new Error('disk full'))
    const read = async (into: Uint8Array) => into.length
    const parts = [stretch(0, 6 * stepBytes)]
    await expect(assemble({ parts, summer, like: null, read, write: full })).rejects.toThrow('disk full')
  })

  it.each([0, 5])('has no write under way any more when it throws because write %i failed', async (which) => {
    let underWay = 0
    const write = async (_: Uint8Array, at: number) => {
      if (at === which * stepBytes) throw new Error('disk full')
      underWay++
      for (let turns = 0; turns < 50; turns++) await turn()
      underWay--
    }
    const read = async (into: Uint8Array) => into.length
    const parts = [stretch(0, 6 * stepBytes)]
    await expect(assemble({ parts, summer, like: null, read, write })).rejects.toThrow('disk full')
    expect(underWay).toBe(0)
  })
})
