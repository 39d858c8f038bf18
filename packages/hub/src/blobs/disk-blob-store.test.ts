import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canMakeSmallDisk, onSmallDisk, smallDisk } from '../store/small-disk-under-test.ts'
import { blobStoreContract, chunked, nameOf } from './blob-store.contract.ts'
import { openDiskBlobStore } from './disk-blob-store.ts'
import { DiskSync } from './disk-sync.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-blobs-'))
})
afterEach(() => rm(dir, { recursive: true }))

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  )

describe('the disk blob store', () => {
  blobStoreContract(async () => ({ store: await openDiskBlobStore(dir), left: () => filesIn(dir) }))

  it('keeps each blob under its name, in a folder of the first two digits', async () => {
    const store = await openDiskBlobStore(dir)
    const hash = nameOf(Buffer.from('farhand'))
    await store.put(hash, chunked(Buffer.from('farhand')))
    expect(await filesIn(dir)).toEqual([join(dir, hash.slice(7, 9), hash)])
    expect((await stat(join(dir, hash.slice(7, 9), hash))).mode & 0o077).toBe(0)
  })

  it('finds its blobs again and sweeps out what a crash left half-way', async () => {
    const bytes = randomBytes(1000)
    await (await openDiskBlobStore(dir)).put(nameOf(bytes), chunked(bytes))
    await writeFile(join(dir, 'incoming', 'half'), 'half')
    const store = await openDiskBlobStore(dir)
    expect(await store.size(nameOf(bytes))).toBe(1000)
    expect(await filesIn(dir)).toHaveLength(1)
  })

  it('holds a large upload in memory only piece by piece', async () => {
    const store = await openDiskBlobStore(dir)
    const piece = randomBytes(1024 * 1024)
    const whole = Buffer.concat(Array.from({ length: 64 }, () => piece))
    const hash = nameOf(whole)
    const onDisk: number[] = []
    await store.put(
      hash,
      chunked(whole, piece.length, async () => {
        const [spool] = await filesIn(join(dir, 'incoming'))
        onDisk.push(spool === undefined ? 0 : (await stat(spool)).size)
      }),
    )
    expect(onDisk).toEqual(Array.from({ length: 63 }, (_, n) => (n + 1) * piece.length))
  })

  /** A store whose disk answers differently once the blob has its name. */
  const withDisk = async (hash: string, answer: () => Promise<void>) => {
    const sync = new DiskSync()
    const folder = sync.folder.bind(sync)
    sync.folder = (path) => (existsSync(join(path, hash)) ? answer() : folder(path))
    return openDiskBlobStore(dir, sync)
  }

  it('takes nothing for stored that could not be synced, and tries again', async () => {
    const bytes = randomBytes(1000)
    const hash = nameOf(bytes)
    const answers = ['bad sector', 'bad sector', null]
    const store = await withDisk(hash, async () => {
      const problem = answers.shift()
      if (problem) throw new Error(problem)
    })
    await expect(store.put(hash, chunked(bytes))).rejects.toThrow('bad sector')
    await expect(store.put(hash, chunked(bytes))).rejects.toThrow('bad sector')
    expect(await store.put(hash, chunked(bytes))).toEqual({ size: 1000 })
    expect(answers).toEqual([])
  })

  it('says that a blob is stored only when its name is on the disk, also to the second who brings it', async () => {
    const bytes = randomBytes(1000)
    const hash = nameOf(bytes)
    const order: string[] = []
    let release = () => {}
    const store = await withDisk(hash, () => {
      order.push('syncing')
      return new Promise<void>((resolve) => {
        release = resolve
      })
    })
    const first = store.put(hash, chunked(bytes)).then(() => order.push('stored'))
    while (order.length === 0) await new Promise(setImmediate)
    const second = store.put(hash, chunked(bytes)).then(() => order.push('stored'))
    for (let turn = 0; turn < 20; turn++) await store.size(hash)
    order.push('synced')
    release()
    await Promise.all([first, second])
    expect(order).toEqual(['syncing', 'synced', 'stored', 'stored'])
  })

  it.runIf(canMakeSmallDisk)('says that the disk is full, and keeps none of what did not fit', async () => {
    const said = await onSmallDisk(`
      import { openDiskBlobStore } from ${JSON.stringify(new URL('./disk-blob-store.ts', import.meta.url).href)}
      import { createHash, randomBytes } from 'node:crypto'
      import { readdirSync } from 'node:fs'
      const store = await openDiskBlobStore(${JSON.stringify(join(smallDisk, 'files'))})
      const put = (bytes) => {
        const hash = 'sha256_' + createHash('sha256').update(bytes).digest('hex')
        return store.put(hash, (async function* () { yield bytes })()).catch((fault) => fault.code)
      }
      const tries = []
      for (const size of [10_000, 4_000_000, 100_000]) tries.push(await put(randomBytes(size)))
      while ((await put(randomBytes(50_000))) !== 'storage.full');
      const incoming = readdirSync(${JSON.stringify(join(smallDisk, 'files/incoming'))})
      console.log(JSON.stringify({ tries, incoming }))`)
    expect(said).toEqual({
      tries: [{ size: 10_000 }, 'storage.full', { size: 100_000 }],
      incoming: [],
    })
  })
})
