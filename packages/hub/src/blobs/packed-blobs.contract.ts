import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { PackReader, type PackRecord } from '@farhand/protocol/wire/pack'
import { beforeEach, describe, expect, it } from 'vitest'
import { chunked, nameOf } from './blob-store.contract.ts'
import type { BlobStore } from './blob-store.ts'
import type { StoredBlob } from './packed-blobs.ts'
import { receivedBlobs, type WholeBlob } from './received-blobs.ts'

export const whole = (bytes: Buffer): WholeBlob => ({ hash: nameOf(bytes), bytes })

type Opened = {
  /** With segments of 100,000 bytes. */
  store: BlobStore
  left(): Promise<string[]>
  /** As whom `remember` does it. */
  owner: string
  remember(stored: readonly StoredBlob[]): Promise<void>
  /** Says that no project has the blob any more. */
  forget(hash: BlobHash): Promise<boolean>
}

/** What every blob store must do for blobs that come many at a time. */
export function packedBlobsContract(openStore: () => Promise<Opened>): void {
  let opened: Opened
  let store: BlobStore
  beforeEach(async () => {
    opened = await openStore()
    store = opened.store
  })
  const put = (blobs: readonly Buffer[]) =>
    store.putAll(receivedBlobs(blobs.map(whole)), opened.owner, opened.remember)
  const some = (count: number, size: number) => Array.from({ length: count }, () => randomBytes(size))
  const bytesOf = async (hash: BlobHash, start = 0) => buffer((await store.get(hash, start)).bytes)
  const expectAll = async (blobs: readonly Buffer[]) => {
    for (const bytes of blobs) expect((await bytesOf(nameOf(bytes))).equals(bytes)).toBe(true)
  }
  const recordsOf = async (hashes: readonly BlobHash[], mayRead = new Set(hashes)) => {
    const reader = new PackReader({ mostBytes: 10_000_000 })
    const records: PackRecord[] = []
    for await (const bytes of store.records(hashes, mayRead)) records.push(...reader.feed(bytes))
    reader.end()
    return records.map((record) => (record.kind === 'blob' ? nameOf(Buffer.from(record.bytes)) : record.kind))
  }

  describe('blobs that come together', () => {
    it('W31 come back as they went in, from any byte on', async () => {
      const blobs = [Buffer.alloc(0), Buffer.from('a'), ...some(200, 1000), randomBytes(2_000_000)]
      await put(blobs)
      await expectAll(blobs)
      for (const bytes of blobs) expect(await store.size(nameOf(bytes))).toBe(bytes.length)
      const large = blobs.at(-1)!
      for (const start of [1, 1_999_999, 2_000_000]) {
        expect((await bytesOf(nameOf(large), start)).equals(large.subarray(start))).toBe(true)
      }
      await expect(store.get(nameOf(large), 2_000_001)).rejects.toMatchObject({ code: 'request.malformed' })
    })

    it('W31 leave nothing behind if one of them does not hash to its name', async () => {
      const [good, bad] = [randomBytes(100), randomBytes(100)]
      const blobs = [whole(good), { hash: nameOf(good.subarray(1)), bytes: bad }]
      const refused = store.putAll(receivedBlobs(blobs), opened.owner, () => expect.unreachable())
      await expect(refused).rejects.toMatchObject({ code: 'blob.mismatch' })
      expect(await store.size(nameOf(good))).toBeNull()
      expect(await opened.left()).toEqual([])
    })

    it('are stored once, even if they are sent again, some of them twice in one pack', async () => {
      const blobs = some(10, 1000)
      await put(blobs)
      const seen: (readonly StoredBlob[])[] = []
      const again = receivedBlobs([...blobs, blobs[0]!].map(whole))
      await store.putAll(again, opened.owner, async (stored) => void seen.push(stored))
      await put(blobs)
      const [file] = await opened.left()
      expect(await opened.left()).toEqual([file])
      expect(new Set(seen[0]!.map(({ hash }) => hash))).toEqual(new Set(blobs.map(nameOf)))
      expect(await recordsOf(blobs.map(nameOf))).toEqual(blobs.map(nameOf))
    })

    it('find those that are in files of their own, and store only tiny ones again', async () => {
      const bytes = randomBytes(20_000)
      await store.put(nameOf(bytes), chunked(bytes), (size) =>
        opened.remember([{ hash: nameOf(bytes), size, place: null }]),
      )
      await put([bytes])
      expect(await opened.left()).toHaveLength(1)
      const tiny = randomBytes(10)
      await store.put(nameOf(tiny), chunked(tiny), (size) =>
        opened.remember([{ hash: nameOf(tiny), size, place: null }]),
      )
      await put([tiny])
      await expectAll([bytes, tiny])
    })

    it('may come in many requests at once, the same ones too', async () => {
      const shared = some(20, 300)
      const own = Array.from({ length: 10 }, () => some(20, 300))
      await Promise.all(own.map((blobs) => put([...shared, ...blobs])))
      await expectAll([...shared, ...own.flat()])
    })

    it('W32 can be read many at a time, in any order, and those that may not be read are missing', async () => {
      const blobs = some(300, 1500)
      await put(blobs)
      const single = randomBytes(3000)
      await store.put(nameOf(single), chunked(single), (size) =>
        opened.remember([{ hash: nameOf(single), size, place: null }]),
      )
      const names = blobs.map(nameOf)
      expect(await recordsOf(names)).toEqual(names)
      const mixed = [...names.slice(0, 50).reverse(), nameOf(single), ...names.slice(100, 200), names[3]!]
      expect(await recordsOf(mixed)).toEqual(mixed)
      const nobody = nameOf(Buffer.from('nobody'))
      const mayRead = new Set([names[1]!, nobody])
      expect(await recordsOf([names[0]!, names[1]!, nobody], mayRead)).toEqual([
        'missing',
        names[1],
        'missing',
      ])
    })
  })

  describe('packed blobs that no project has any more', () => {
    const forget = async (blobs: readonly Buffer[]) => {
      for (const bytes of blobs) await store.remove(nameOf(bytes), () => opened.forget(nameOf(bytes)))
    }
    const half = (blobs: readonly Buffer[]) => blobs.filter((_, n) => n % 10 < 3)
    const others = (blobs: readonly Buffer[]) => blobs.filter((_, n) => n % 10 >= 3)

    it('W25 are gone at once, and their space is freed when it is most of a segment', async () => {
      const blobs = some(100, 5000)
      for (let at = 0; at < 100; at += 10) await put(blobs.slice(at, at + 10))
      const before = (await opened.left()).length
      expect(before).toBeGreaterThan(4)
      expect(await store.tidy()).toEqual({ removed: 0 })
      await forget(others(blobs))
      for (const bytes of others(blobs)) expect(await store.size(nameOf(bytes))).toBeNull()
      const { removed } = await store.tidy()
      expect(removed).toBe(before - 1)
      await expectAll(half(blobs))
      expect(await recordsOf(half(blobs).map(nameOf))).toEqual(half(blobs).map(nameOf))
      expect((await opened.left()).length).toBeLessThan(before)
    })

    it('W25 are there again if they are sent again, before and after their space is freed', async () => {
      const blobs = some(40, 5000)
      await put(blobs)
      await put(some(1, 10))
      await forget(blobs)
      await put(blobs.slice(0, 2))
      expect((await store.tidy()).removed).toBe(1)
      await put(blobs.slice(2, 4))
      await expectAll(blobs.slice(0, 4))
    })

    it('W25 do not take those with them that are also in a file, or in another segment', async () => {
      const [filed, twice] = [randomBytes(10), randomBytes(10)]
      await put([twice])
      await store.put(nameOf(filed), chunked(filed), (size) =>
        opened.remember([{ hash: nameOf(filed), size, place: null }]),
      )
      await put([filed])
      const large = randomBytes(120_000)
      await put([large])
      await put(some(1, 10))
      await forget([large])
      expect((await store.tidy()).removed).toBe(1)
      await expectAll([filed, twice])
      expect(await recordsOf([filed, twice].map(nameOf))).toEqual([filed, twice].map(nameOf))
    })

    it('W25 do not take blobs with them that are stored or read while their space is freed', async () => {
      const blobs = some(60, 5000)
      for (let at = 0; at < 60; at += 20) await put(blobs.slice(at, at + 20))
      await put(some(1, 10))
      await forget(others(blobs))
      const reading = await store.get(nameOf(blobs[0]!))
      let over = false
      const tidying = store.tidy().finally(() => (over = true))
      // What is live is brought and asked for again and again while it moves.
      for (let round = 0; !over || round < 3; round++) {
        await put([...half(blobs).slice(0, 5), randomBytes(100)])
        expect(await recordsOf(half(blobs).map(nameOf))).toEqual(half(blobs).map(nameOf))
      }
      await tidying
      await expectAll(half(blobs))
      expect((await buffer(reading.bytes)).equals(blobs[0]!)).toBe(true)
      await store.tidy()
      await expectAll(half(blobs))
    })

    it('W25 stay while a caller is about to record them', async () => {
      const bytes = randomBytes(120_000)
      await store.putAll(receivedBlobs([whole(bytes)]), opened.owner, async (stored) => {
        await put(some(1, 100))
        const tidying = store.tidy()
        await store.remove(nameOf(bytes), async () => expect.unreachable())
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
        await opened.remember(stored)
        void tidying
      })
      await store.tidy()
      await expectAll([bytes])
    })
  })
}
