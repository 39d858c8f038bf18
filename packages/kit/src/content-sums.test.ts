import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ContentSums, differences, pieceBytes, Summing, stepBytes } from './content-sums.ts'

const hexOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
let hashed = 0
const summer = {
  newHash: () => counting(createHash('sha256')),
  sum: (piece: Uint8Array) => createHash('md5').update(piece).digest('base64'),
}

function counting(hash: ReturnType<typeof createHash>) {
  return {
    update: (bytes: Uint8Array) => {
      hashed += bytes.length
      hash.update(bytes)
    },
    copy: () => counting(hash.copy()),
    digest: (encoding: 'hex') => hash.digest(encoding),
  }
}

function sumsOf(bytes: Uint8Array, like?: ContentSums): ContentSums {
  const summing = new Summing(summer, bytes.length, like)
  hashed = 0
  for (let at = 0; at < bytes.length; at += stepBytes) summing.add(bytes.subarray(at, at + stepBytes))
  return summing.end()
}

const before = randomBytes(4 * stepBytes + 300_000)

function changed(at: number): Buffer {
  const bytes = Buffer.from(before)
  bytes[at]! ^= 1
  return bytes
}

describe('Summing', () => {
  it.each([
    ['the same', Buffer.from(before)],
    ['one byte changed in the middle', changed(2 * stepBytes + 7)],
    ['one byte changed at the beginning', changed(0)],
    ['one byte changed at the end', changed(before.length - 1)],
    ['appended to', Buffer.concat([before, randomBytes(2_000_000)])],
    ['cut', before.subarray(0, 3_000_000)],
    ['cut where a step ends', before.subarray(0, 2 * stepBytes)],
    [
      'inserted into',
      Buffer.concat([before.subarray(0, 2_500_000), randomBytes(9), before.subarray(2_500_000)]),
    ],
    ['emptied', Buffer.alloc(0)],
  ])('hashes a content as a whole, no matter what it is compared with: %s', (_, after) => {
    const like = sumsOf(before)
    const sums = sumsOf(after, like)
    expect(sums.hex).toBe(hexOf(after))
    const again = changed(stepBytes + 1)
    expect(sumsOf(again, sums).hex).toBe(hexOf(again))
    expect(sumsOf(after, sums).hex).toBe(hexOf(after))
  })

  it('goes on after a content that ended with a step', () => {
    const whole = before.subarray(0, 2 * stepBytes)
    expect(sumsOf(before, sumsOf(whole)).hex).toBe(hexOf(before))
    expect(hashed).toBe(before.length - whole.length)
  })

  it.each([0, 1, pieceBytes, stepBytes, stepBytes + pieceBytes, 2 * stepBytes])(
    'hashes what there was, if the content ended after %i bytes though more had been said',
    (length) => {
      const summing = new Summing(summer, before.length, sumsOf(before))
      for (let at = 0; at < length; at += stepBytes)
        summing.add(before.subarray(at, Math.min(at + stepBytes, length)))
      expect(summing.end()).toMatchObject({ size: length, hex: hexOf(before.subarray(0, length)) })
    },
  )

  it('hashes only from the step on that is different', () => {
    const like = sumsOf(before)
    expect(hashed).toBe(before.length)
    sumsOf(changed(3 * stepBytes + 5), like)
    expect(hashed).toBe(before.length - 3 * stepBytes)
    sumsOf(before, like)
    expect(hashed).toBe(0)
  })

  it('hashes a content rightly after any changes, one after another', () => {
    const change = fc.record({
      at: fc.nat(3 * stepBytes),
      drop: fc.constantFrom(0, 1, 1000, pieceBytes, stepBytes),
      put: fc.constantFrom(0, 1, 1000, pieceBytes, stepBytes),
    })
    const check = (changes: { at: number; drop: number; put: number }[]) => {
      let bytes: Buffer = before.subarray(0, 2 * stepBytes + 1234)
      let sums = sumsOf(bytes)
      for (const { at, drop, put } of changes) {
        bytes = Buffer.concat([bytes.subarray(0, at), randomBytes(put), bytes.subarray(at + drop)])
        sums = sumsOf(bytes, sums)
        expect(sums.hex).toBe(hexOf(bytes))
      }
    }
    fc.assert(fc.property(fc.array(change, { maxLength: 5 }), check), { numRuns: 30 })
  })
})

describe('differences', () => {
  it('names every piece that is different, and no other', () => {
    const after = changed(2 * stepBytes + 7)
    after[2 * stepBytes + 400_000]! ^= 1
    after[10]! ^= 1
    const found = differences(sumsOf(before), sumsOf(after))
    const rest = before.length % pieceBytes
    expect(found).toEqual([
      { start: 0, end: rest },
      { start: 2 * stepBytes, end: 2 * stepBytes + pieceBytes },
    ])
    expect(differences(sumsOf(before), sumsOf(before))).toEqual([])
  })
})
