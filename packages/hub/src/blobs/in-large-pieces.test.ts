import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inLargePieces } from './in-large-pieces.ts'

it('gives the same bytes in as few pieces as need be', async () => {
  const sizes = fc.array(fc.oneof(fc.nat(300), fc.nat(200_000)), { maxLength: 40, size: 'max' })
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      const pieces = lengths.map((length, n) => Buffer.alloc(length, n))
      const large: Uint8Array[] = []
      for await (const piece of inLargePieces(Readable.from(pieces))) large.push(piece)
      expect(Buffer.concat(large).equals(Buffer.concat(pieces))).toBe(true)
      const together = (n: number) => large[n]!.length + large[n + 1]!.length
      for (let n = 0; n + 1 < large.length; n++) expect(together(n)).toBeGreaterThan(64 * 1024)
    }),
    { numRuns: 50 },
  )
})
