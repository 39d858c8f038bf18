import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { type Patch, readPatch, writePatch } from '@farhand/protocol/wire/patch'
import { beforeEach, describe, expect, it } from 'vitest'
import type { BlobStore, SentPatch } from './blob-store.ts'

export const nameOf = (bytes: Uint8Array): BlobHash =>
  BlobHash.parse(`sha256_${createHash('sha256').update(bytes).digest('hex')}`)

/** The bytes in chunks, as a request would bring them; `between` runs before each chunk but the first. */
export async function* chunked(bytes: Uint8Array, size = 64 * 1024, between?: (at: number) => unknown) {
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await between?.(at)
    yield bytes.subarray(at, at + size)
  }
}

/** What every blob store must do. `left` lists all it holds, finished or not. */
export function blobStoreContract(
  open: () => Promise<{ store: BlobStore; left(): Promise<string[]> }>,
): void {
  let store: BlobStore
  let left: () => Promise<string[]>
  beforeEach(async () => {
    const opened = await open()
    store = opened.store
    left = opened.left
  })

  // Comparing megabytes as values takes a test framework seconds.
  const expectBytes = async (hash: BlobHash, whole: Buffer, start = 0) => {
    const { size, bytes } = await store.get(hash, start)
    expect(size).toBe(whole.length)
    expect(whole.subarray(start).equals(await buffer(bytes))).toBe(true)
  }
  const sizes = [0, 1, 10_000, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 3_000_000]

  describe('a blob', () => {
    it.each(sizes)('of %i bytes comes back as it went in', async (size) => {
      const bytes = randomBytes(size)
      const hash = nameOf(bytes)
      expect(await store.size(hash)).toBeNull()
      expect(await store.put(hash, chunked(bytes))).toEqual({ size })
      expect(await store.size(hash)).toBe(size)
      await expectBytes(hash, bytes)
      expect(await left()).toHaveLength(1)
    })

    it('comes back from any byte on', async () => {
      const bytes = randomBytes(1_000_000)
      const hash = nameOf(bytes)
      await store.put(hash, chunked(bytes))
      for (const start of [0, 1, 500_000, 900_000, 999_999, 1_000_000]) {
        await expectBytes(hash, bytes, start)
      }
      await expect(store.get(hash, 1_000_001)).rejects.toMatchObject({ code: 'request.malformed' })
    })

    it('that was never stored is unknown', async () => {
      const hash = nameOf(Buffer.from('nobody'))
      expect(await store.size(hash)).toBeNull()
      await expect(store.get(hash)).rejects.toMatchObject({ code: 'blob.unknown' })
    })

    it.each(sizes)('W24 of %i bytes that does not hash to its name leaves nothing behind', async (size) => {
      const hash = nameOf(Buffer.from('something else'))
      const refused = store.put(hash, chunked(randomBytes(size)))
      await expect(refused).rejects.toMatchObject({ code: 'blob.mismatch' })
      expect(await store.size(hash)).toBeNull()
      expect(await left()).toEqual([])
    })

    it.each([100_000, 3_000_000])(
      'of %i bytes whose upload breaks off leaves nothing behind',
      async (size) => {
        const bytes = randomBytes(size)
        const hash = nameOf(bytes)
        const cut = chunked(bytes, 50_000, (at) => {
          if (at >= size / 2) throw new Error('connection reset')
        })
        await expect(store.put(hash, cut)).rejects.toThrow('connection reset')
        expect(await left()).toEqual([])
        expect(await store.put(hash, chunked(bytes))).toEqual({ size })
      },
    )

    it.each([10_000, 3_000_000])(
      'of %i bytes stored again is read and checked, and changes nothing',
      async (size) => {
        const bytes = randomBytes(size)
        const hash = nameOf(bytes)
        await store.put(hash, chunked(bytes))
        let chunks = 0
        const again = chunked(bytes, 1000, () => chunks++)
        expect(await store.put(hash, again)).toEqual({ size })
        expect(chunks).toBe(Math.ceil(size / 1000) - 1)
        const other = store.put(hash, chunked(randomBytes(size)))
        await expect(other).rejects.toMatchObject({ code: 'blob.mismatch' })
        await expectBytes(hash, bytes)
        expect(await left()).toHaveLength(1)
      },
    )

    it.each([10_000, 1_000_000])('of %i bytes may be stored by many callers at once', async (size) => {
      const bytes = randomBytes(size)
      const hash = nameOf(bytes)
      const puts = Array.from({ length: 20 }, (_, n) => store.put(hash, chunked(bytes, 10_000 + n * 1000)))
      const bad = store.put(hash, chunked(randomBytes(size)))
      await expect(bad).rejects.toMatchObject({ code: 'blob.mismatch' })
      for (const put of puts) expect(await put).toEqual({ size })
      await expectBytes(hash, bytes)
      expect(await left()).toHaveLength(1)
    })

    it('is stored before the caller records it', async () => {
      const bytes = randomBytes(1000)
      const hash = nameOf(bytes)
      const seen: unknown[] = []
      await store.put(hash, chunked(bytes), async (size) => {
        seen.push(size, await store.size(hash))
      })
      expect(seen).toEqual([1000, 1000])
    })
  })

  describe('a list of blobs', () => {
    it('has those whose names begin with two digits, and only what is whole', async () => {
      const stored: BlobHash[] = []
      for (let n = 0; n < 20; n++) {
        const bytes = Buffer.from(`${n}`)
        stored.push(nameOf(bytes))
        await store.put(nameOf(bytes), chunked(bytes))
      }
      for (const digits of ['00', ...stored.map((hash) => hash.slice(7, 9))]) {
        const expected = stored.filter((hash) => hash.startsWith(`sha256_${digits}`))
        expect((await store.list(digits)).sort()).toEqual(expected.sort())
      }
      const large = randomBytes(1_000_000)
      await store.put(
        nameOf(large),
        chunked(large, 300_000, async () => {
          expect(await store.list(nameOf(large).slice(7, 9))).not.toContain(nameOf(large))
        }),
      )
    })

    it('says since when each is stored', async () => {
      const bytes = randomBytes(10)
      expect(await store.storedAt(nameOf(bytes))).toBeNull()
      const before = Date.now()
      await store.put(nameOf(bytes), chunked(bytes))
      // File systems keep coarser times than clocks do.
      const apart = (await store.storedAt(nameOf(bytes)))!.getTime() - before
      expect(Math.abs(apart)).toBeLessThan(60_000)
    })
  })

  describe('a patch', () => {
    const base = randomBytes(3_000_000)
    const after = Buffer.concat([base.subarray(0, 1_000_000), Buffer.from('new'), base.subarray(1_500_000)])
    const parts = [{ start: 0, end: 1_000_000 }, Buffer.from('new'), { start: 1_500_000, end: base.length }]
    const sent = (made: Patch): SentPatch => ({ ...made, bytes: writePatch(made) })
    const patch = sent({ base: nameOf(base), parts })

    it('W35 makes a blob of another one, which stays as it was', async () => {
      await store.put(nameOf(base), chunked(base))
      const remembered: number[] = []
      const remember = async (size: number) => void remembered.push(size)
      expect(await store.putPatched(nameOf(after), patch, remember)).toEqual({ size: after.length })
      expect(remembered).toEqual([after.length])
      await expectBytes(nameOf(after), after)
      await expectBytes(nameOf(base), base)
      expect(await store.patchOf(nameOf(after), nameOf(base))).toEqual(Buffer.from(patch.bytes))
      expect(await store.patchOf(nameOf(after), nameOf(after))).toBeNull()
      expect(await store.patchOf(nameOf(base), nameOf(after))).toBeNull()
    })

    it('W35 may come twice, at once too, and one after another', async () => {
      await store.put(nameOf(base), chunked(base))
      await Promise.all([store.putPatched(nameOf(after), patch), store.putPatched(nameOf(after), patch)])
      await store.put(nameOf(after), chunked(after))
      const back = sent({
        base: nameOf(after),
        parts: [{ start: 0, end: 1_000_000 }, base.subarray(1_000_000)],
      })
      await store.putPatched(nameOf(base), back)
      await expectBytes(nameOf(base), base)
      await expectBytes(nameOf(after), after)
    })

    it('W35 that makes another blob, or has no base, leaves nothing behind', async () => {
      await expect(store.putPatched(nameOf(after), patch)).rejects.toMatchObject({ code: 'blob.unknown' })
      await store.put(nameOf(base), chunked(base))
      const remember = async () => expect.unreachable()
      const wrong = sent({ base: nameOf(base), parts: [...parts, Buffer.from('!')] })
      const beyond = sent({ base: nameOf(base), parts: [{ start: 5, end: base.length + 1 }] })
      const bytes = patch.bytes.subarray(0, -17)
      for (const bad of [wrong, beyond, { ...readPatch(bytes), bytes }]) {
        const putting = store.putPatched(nameOf(after), bad, remember)
        await expect(putting).rejects.toMatchObject({ code: 'blob.mismatch' })
      }
      expect(await store.size(nameOf(after))).toBeNull()
      expect(await left()).toHaveLength(1)
    })

    it('W35 that takes more from its base than the base has is refused before anything is written', async () => {
      await store.put(nameOf(base), chunked(base))
      const twice = Buffer.concat([base, base])
      const whole = { start: 0, end: base.length }
      const putting = store.putPatched(nameOf(twice), sent({ base: nameOf(base), parts: [whole, whole] }))
      await expect(putting).rejects.toMatchObject({ code: 'request.malformed' })
      expect(await left()).toHaveLength(1)
    })

    it('W25 W35 goes with the blob it made; that stays when the base goes', async () => {
      await store.put(nameOf(base), chunked(base))
      await store.putPatched(nameOf(after), patch, async () => {
        await store.remove(nameOf(base), async () => expect.unreachable())
      })
      await store.remove(nameOf(base), async () => true)
      await expectBytes(nameOf(after), after)
      await store.remove(nameOf(after), async () => true)
      expect(await left()).toEqual([])
    })
  })

  describe('removing a blob', () => {
    const bytes = randomBytes(1_000_000)
    const hash = nameOf(bytes)

    it('deletes the bytes only if the caller says so', async () => {
      await store.put(hash, chunked(bytes))
      await store.remove(hash, async () => false)
      expect(await store.size(hash)).toBe(bytes.length)
      await store.remove(hash, async () => true)
      expect(await store.size(hash)).toBeNull()
      expect(await left()).toEqual([])
      await store.remove(hash, async () => true)
    })

    it('W25 does nothing while the same blob is being stored, until the caller has recorded it', async () => {
      await store.put(hash, chunked(bytes))
      const remove = () => store.remove(hash, async () => expect.unreachable())
      await store.put(hash, chunked(bytes, 100_000, remove), remove)
      expect(await store.size(hash)).toBe(bytes.length)
    })

    it('W25 is over before the same blob is stored again, and then it is there', async () => {
      await store.put(hash, chunked(bytes))
      let putting: Promise<unknown> | undefined
      let over = false
      await store.remove(hash, async () => {
        putting = store.put(hash, chunked(bytes), async () => expect(over).toBe(true))
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
        over = true
        return true
      })
      await putting
      await expectBytes(hash, bytes)
    })

    it('does not disturb a reader that has begun', async () => {
      await store.put(hash, chunked(bytes))
      const reading = await store.get(hash)
      await store.remove(hash, async () => true)
      expect(bytes.equals(await buffer(reading.bytes))).toBe(true)
    })
  })
}
