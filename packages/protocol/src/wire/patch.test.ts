import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlobHash } from './blob-hash.ts'
import { limits } from './limits.ts'
import {
  BadPatch,
  copiedSize,
  isWithinLimits,
  type PatchPart,
  patchedSize,
  patchLength,
  readPatch,
  writePatch,
} from './patch.ts'

const base = `sha256_${'0123456789abcdef'.repeat(4)}` as BlobHash
const stretch = fc
  .tuple(fc.nat(2 ** 50), fc.integer({ min: 1, max: 2 ** 50 }))
  .map(([start, length]) => ({ start, end: start + length }))
const part: fc.Arbitrary<PatchPart> = fc.oneof(stretch, fc.uint8Array({ minLength: 1, maxLength: 50 }))

describe('a patch', () => {
  it('W35 is read as it was written', () => {
    const check = (parts: PatchPart[]) => {
      const patch = writePatch({ base, parts })
      expect(patch).toHaveLength(patchLength(parts))
      const shifted = new Uint8Array(patch.length + 3)
      shifted.set(patch, 3)
      expect(readPatch(shifted.subarray(3))).toEqual({ base, parts })
    }
    fc.assert(fc.property(fc.array(part, { maxLength: 20, size: 'max' }), check))
  })

  it('W35 is bytes in this order', () => {
    const patch = writePatch({ base, parts: [{ start: 1, end: 258 }, Uint8Array.of(7, 8)] })
    expect(Buffer.from(patch).toString('hex')).toBe(
      `${base.slice(7)}01${'0000000000000001'}${'0000000000000101'}02${'00000002'}0708`,
    )
    expect(patchedSize(readPatch(patch).parts)).toBe(259)
  })

  it('W35 that was cut off anywhere but between two parts is refused', () => {
    const parts = [{ start: 5, end: 9 }, Uint8Array.of(1, 2, 3), { start: 0, end: 1 }]
    const patch = writePatch({ base, parts })
    const whole = new Set(parts.map((_, count) => patchLength(parts.slice(0, count))))
    for (let length = 0; length < patch.length; length++) {
      const read = () => readPatch(patch.subarray(0, length))
      if (whole.has(length)) expect(read().parts.length).toBeLessThan(parts.length)
      else expect(read).toThrow(BadPatch)
    }
  })

  it('W35 with a part of another kind, or beyond all blobs, is refused', () => {
    const patch = writePatch({ base, parts: [{ start: 0, end: 1 }] })
    expect(() => readPatch(patch.with(32, 3))).toThrow('not with 3')
    expect(() => readPatch(patch.with(33, 0xff))).toThrow(BadPatch)
    expect(() => readPatch(patch.with(41, 0xff))).toThrow(BadPatch)
  })

  it('W35 has no part without bytes: millions of them would fit into one', () => {
    for (const empty of [{ start: 7, end: 7 }, new Uint8Array()])
      expect(() => readPatch(writePatch({ base, parts: [empty] }))).toThrow('a part is empty')
  })

  it.each<[string, PatchPart]>([
    ['stretches', { start: 3, end: 4 }],
    ['bytes', Uint8Array.of(1)],
  ])('W35 has no more %s than the limit, and its writer can check that before', (_, part) => {
    const most = Array.from({ length: limits.partsPerPatch }, () => part)
    expect(isWithinLimits(most)).toBe(true)
    expect(readPatch(writePatch({ base, parts: most })).parts).toHaveLength(limits.partsPerPatch)
    const more = [...most, part]
    expect(isWithinLimits(more)).toBe(false)
    expect(() => readPatch(writePatch({ base, parts: more }))).toThrow('more than 4096 parts')
  })

  it('W35 is too long for a hub beyond what a request may carry', () => {
    const room = limits.requestBytes - patchLength([new Uint8Array()])
    expect(isWithinLimits([new Uint8Array(room)])).toBe(true)
    expect(isWithinLimits([new Uint8Array(room + 1)])).toBe(false)
  })

  it('W35 takes as much from its base as its stretches are long; its own bytes do not count', () => {
    expect(copiedSize([{ start: 5, end: 9 }, Uint8Array.of(1, 2), { start: 5, end: 6 }])).toBe(5)
  })
})
