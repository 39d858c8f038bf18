import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packedPlaces } from '../store/packed-places.ts'
import { forgetBlob, rememberBlobs } from '../store/project-blobs.ts'
import { canMakeSmallDisk, onSmallDisk, smallDisk } from '../store/small-disk-under-test.ts'
import { openSqliteStore, type Store } from '../store/sqlite-store.ts'
import { aRun } from '../store/store.contract.ts'
import { blobStoreContract, chunked, nameOf } from './blob-store.contract.ts'
import type { BlobStore } from './blob-store.ts'
import { openDiskBlobStore } from './disk-blob-store.ts'
import { DiskSync } from './disk-sync.ts'
import { packedBlobsContract, whole } from './packed-blobs.contract.ts'
import type { StoredBlob } from './packed-blobs.ts'
import { receivedBlobs } from './received-blobs.ts'

let place: string
let dir: string
let relational: Store
let db: Store['db']
let project: ProjectId
let stores: BlobStore[]
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'farhand-blobs-'))
  dir = join(place, 'files')
  await mkdir(dir)
  relational = await openSqliteStore(join(place, 'store.sqlite'))
  db = relational.db
  project = (await aRun(db)).project.id
  stores = []
})
afterEach(async () => {
  for (const store of stores) await store.close()
  await relational.close()
  await rm(place, { recursive: true })
})

async function opened(options: Parameters<typeof openDiskBlobStore>[2] = {}): Promise<BlobStore> {
  const store = await openDiskBlobStore(dir, packedPlaces(db), options)
  stores.push(store)
  return store
}

const forgetNow = async (hash: BlobHash) =>
  (await forgetBlob(db, project, hash, new Date(Date.now() + 1000))) === 'forgotten'

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  )

/** What it holds; what was removed is set aside for a while. */
const leftIn = async (folder: string) =>
  (await filesIn(folder)).filter((file) => !file.startsWith(join(folder, 'trash')))

describe('the disk blob store', () => {
  blobStoreContract(async () => ({
    store: await opened(),
    left: () => leftIn(dir),
  }))
  packedBlobsContract(async () => ({
    store: await opened({ segmentBytes: 100_000 }),
    left: () => leftIn(dir),
    owner: project,
    remember: (stored) => rememberBlobs(db, project, stored, new Date()),
    forget: forgetNow,
  }))

  it('keeps each blob under its name, in a folder of the first two digits', async () => {
    const store = await opened()
    const hash = nameOf(Buffer.from('farhand'))
    await store.put(hash, chunked(Buffer.from('farhand')))
    expect(await filesIn(dir)).toEqual([join(dir, hash.slice(7, 9), hash)])
    expect((await stat(join(dir, hash.slice(7, 9), hash))).mode & 0o077).toBe(0)
  })

  it('finds its blobs again and sweeps out what a crash left half-way', async () => {
    const bytes = randomBytes(1000)
    await (await opened()).put(nameOf(bytes), chunked(bytes))
    await writeFile(join(dir, 'incoming', 'half'), 'half')
    const store = await opened()
    expect(await store.size(nameOf(bytes))).toBe(1000)
    expect(await filesIn(dir)).toHaveLength(1)
  })

  it('holds a large upload in memory only piece by piece', async () => {
    const store = await opened()
    const piece = randomBytes(1024 * 1024)
    const whole = Buffer.concat(Array.from({ length: 64 }, () => piece))
    const hash = nameOf(whole)
    const onDisk: number[] = []
    await store.put(
      hash,
      chunked(whole, piece.length, async () => {
        const [incoming] = await filesIn(join(dir, 'incoming'))
        onDisk.push(incoming === undefined ? 0 : (await stat(incoming)).size)
      }),
    )
    expect(onDisk).toEqual(Array.from({ length: 63 }, (_, n) => (n + 1) * piece.length))
  })

  /** A store whose disk answers differently once the blob has its name. */
  const withDisk = async (hash: string, answer: () => Promise<void>) => {
    const sync = new DiskSync()
    const folder = sync.folder.bind(sync)
    sync.folder = (path) => (existsSync(join(path, hash)) ? answer() : folder(path))
    return opened({ sync })
  }

  it('does not take a blob for stored if it could not be synced, and tries again', async () => {
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

  it('says that a blob is stored only when its name is on the disk, also to a second caller that stores it', async () => {
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

  describe('segments', () => {
    const remember = (stored: readonly StoredBlob[]) => rememberBlobs(db, project, stored, new Date())
    const put = async (store: BlobStore, ...all: Buffer[]) => {
      await store.putAll(receivedBlobs(all.map(whole)), project, remember)
      return all.map(nameOf)
    }
    const packs = async () => (await readdir(join(dir, 'packs'))).sort()

    const expectBytes = async (store: BlobStore, hash: BlobHash, bytes: Buffer) =>
      expect((await buffer((await store.get(hash)).bytes)).equals(bytes)).toBe(true)

    it('are continued by the next process', async () => {
      const bytes = [randomBytes(10_000), randomBytes(20_000)]
      const [first] = await put(await opened(), bytes[0]!)
      const store = await opened()
      const [second] = await put(store, bytes[1]!)
      expect(await packs()).toEqual(['1.pack'])
      for (const [n, hash] of [first!, second!].entries()) await expectBytes(store, hash, bytes[n]!)
      expect((await stat(join(dir, 'packs', '1.pack'))).mode & 0o077).toBe(0)
    })

    it('that a crash cut off stay as they are, also after two more starts', async () => {
      const bytes = [randomBytes(10_000), randomBytes(20_000)]
      const [first] = await put(await opened(), bytes[0]!)
      await appendFile(join(dir, 'packs', '1.pack'), 'cut off')
      await opened()
      const store = await opened()
      const [second] = await put(store, bytes[1]!)
      expect(await packs()).toEqual(['1.pack', '2.pack'])
      for (const [n, hash] of [first!, second!].entries()) await expectBytes(store, hash, bytes[n]!)
    })

    it('never get the number of a segment that rows of blobs name', async () => {
      const [hash] = await put(await opened(), randomBytes(1000))
      await rm(join(dir, 'packs', '1.pack'))
      const store = await opened()
      await put(store, randomBytes(1000))
      expect(await packs()).toEqual(['2.pack'])
      await expect(store.get(hash!)).rejects.toThrow('segment 1 is missing')
    })

    it('hold no blob that a caller is told of before it is durable; a failed sync is not tried twice', async () => {
      const sync = new DiskSync()
      const file = sync.file.bind(sync)
      const problems = ['bad sector', null, 'bad sector', null]
      sync.file = async (fd) => {
        const problem = problems.shift()
        if (problem) throw new Error(problem)
        return file(fd)
      }
      const store = await opened({ sync })
      const bytes = randomBytes(1000)
      await expect(put(store, bytes)).rejects.toThrow('bad sector')
      expect(await store.size(nameOf(bytes))).toBeNull()
      expect(await packs()).toEqual([])
      await put(store, bytes)
      await expect(put(store, randomBytes(10))).rejects.toThrow('bad sector')
      await put(store, randomBytes(10))
      expect(await packs()).toEqual(['1.pack', '2.pack'])
      expect(await store.size(nameOf(bytes))).toBe(1000)
    })

    it('are synced once for all that come while the disk is busy', async () => {
      const sync = new DiskSync()
      const file = sync.file.bind(sync)
      let syncs = 0
      sync.file = (fd) => {
        syncs++
        return file(fd)
      }
      const store = await opened({ sync })
      await Promise.all(Array.from({ length: 50 }, () => put(store, randomBytes(100))))
      expect(syncs).toBeLessThan(10)
    })

    it('that are damaged in one place are kept, and what is whole in them is moved all the same', async () => {
      const store = await opened({ segmentBytes: 10_000 })
      const all = Array.from({ length: 10 }, () => randomBytes(1000))
      const hashes = await put(store, ...all)
      await put(store, randomBytes(1000))
      for (const hash of hashes.slice(2)) await store.remove(hash, () => forgetNow(hash))
      const damaged = await open(join(dir, 'packs', '1.pack'), 'r+')
      await damaged.write(Buffer.from('damage'), 0, 6, 500)
      await damaged.close()
      // What was just written the same process would still have in memory.
      const next = await opened({ segmentBytes: 10_000 })
      expect(await next.tidy()).toEqual({ removed: 0 })
      expect((await packedPlaces(db).used(1)).map(({ hash }) => hash)).toEqual([hashes[0]])
      await expectBytes(next, hashes[1]!, all[1]!)
    })
  })

  it.runIf(canMakeSmallDisk)(
    'W35 says that the disk is full while it makes a blob of a patch, and keeps nothing of that',
    async () => {
      const said = await onSmallDisk(`
      import { openDiskBlobStore } from ${JSON.stringify(new URL('./disk-blob-store.ts', import.meta.url).href)}
      import { openSqliteStore } from ${JSON.stringify(new URL('../store/sqlite-store.ts', import.meta.url).href)}
      import { packedPlaces } from ${JSON.stringify(new URL('../store/packed-places.ts', import.meta.url).href)}
      import { writePatch } from '@farhand/protocol/wire/patch'
      import { createHash, randomBytes } from 'node:crypto'
      import { readdirSync, rmSync, writeFileSync } from 'node:fs'
      const { db } = await openSqliteStore(${JSON.stringify(join(dir, 'elsewhere.sqlite'))})
      const store = await openDiskBlobStore(${JSON.stringify(join(smallDisk, 'files'))}, packedPlaces(db))
      const nameOf = (bytes) => 'sha256_' + createHash('sha256').update(bytes).digest('hex')
      const before = randomBytes(800_000)
      await store.put(nameOf(before), (async function* () { yield before })())
      const more = Buffer.from('more')
      const parts = [{ start: 0, end: before.length }, more]
      const made = { base: nameOf(before), parts }
      const after = nameOf(Buffer.concat([before, more]))
      const put = () => store.putPatched(after, { ...made, bytes: writePatch(made) }).catch((fault) => fault.code)
      const inTheWay = ${JSON.stringify(join(smallDisk, 'in-the-way'))}
      writeFileSync(inTheWay, randomBytes(1_000_000))
      const tries = [await put(), await store.size(after)]
      const incoming = readdirSync(${JSON.stringify(join(smallDisk, 'files/incoming'))})
      rmSync(inTheWay)
      tries.push(await put(), await store.size(after))
      await store.close()
      console.log(JSON.stringify({ tries, incoming }))`)
      expect(said).toEqual({ tries: ['storage.full', null, { size: 800_004 }, 800_004], incoming: [] })
    },
  )

  it.runIf(canMakeSmallDisk)('says that the disk is full, and keeps none of what did not fit', async () => {
    const said = await onSmallDisk(`
      import { openDiskBlobStore } from ${JSON.stringify(new URL('./disk-blob-store.ts', import.meta.url).href)}
      import { openSqliteStore } from ${JSON.stringify(new URL('../store/sqlite-store.ts', import.meta.url).href)}
      import { receivedBlobs } from ${JSON.stringify(new URL('./received-blobs.ts', import.meta.url).href)}
      import { packedPlaces } from ${JSON.stringify(new URL('../store/packed-places.ts', import.meta.url).href)}
      import { createHash, randomBytes } from 'node:crypto'
      import { readdirSync } from 'node:fs'
      const { db } = await openSqliteStore(${JSON.stringify(join(dir, 'elsewhere.sqlite'))})
      const store = await openDiskBlobStore(${JSON.stringify(join(smallDisk, 'files'))}, packedPlaces(db))
      const put = (bytes) => {
        const hash = 'sha256_' + createHash('sha256').update(bytes).digest('hex')
        return store.put(hash, (async function* () { yield bytes })()).catch((fault) => fault.code)
      }
      const tries = []
      for (const size of [10_000, 4_000_000, 100_000]) tries.push(await put(randomBytes(size)))
      while ((await put(randomBytes(50_000))) !== 'storage.full');
      const pack = async (bytes) => {
        const hash = 'sha256_' + createHash('sha256').update(bytes).digest('hex')
        return store.putAll(receivedBlobs([{ hash, bytes }]), '', async () => {}).then(() => 'stored', (fault) => fault.code)
      }
      for (let n = 0; n < 5; n++) tries.push(await pack(randomBytes(200_000)))
      const incoming = readdirSync(${JSON.stringify(join(smallDisk, 'files/incoming'))})
      const packs = readdirSync(${JSON.stringify(join(smallDisk, 'files/packs'))})
      console.log(JSON.stringify({ tries, incoming, packs }))`)
    expect(said).toEqual({
      tries: [{ size: 10_000 }, 'storage.full', { size: 100_000 }, ...Array(5).fill('storage.full')],
      incoming: [],
      packs: [],
    })
  })
})
