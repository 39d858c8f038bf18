import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { packedPlaces } from '../store/packed-places.ts'
import { knownBlobs } from '../store/project-blobs.ts'
import { openSqliteStore, type Store } from '../store/sqlite-store.ts'
import { aRun } from '../store/store.contract.ts'
import { nameOf } from './blob-store.contract.ts'
import { openDiskBlobStore } from './disk-blob-store.ts'

let dir: string
let store: Store
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-killed-'))
  store = await openSqliteStore(join(dir, 'store.sqlite'))
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})

describe('a process that is killed while it stores blobs', () => {
  it('W24 has stored and remembered every one it acknowledged, and left nothing half', async () => {
    const { project } = await aRun(store.db)
    const acknowledged: BlobHash[] = []
    for (const after of [1, 7, 30, 80]) acknowledged.push(...(await storeUntilKilled(project.id, after)))

    const blobs = await openDiskBlobStore(join(dir, 'files'), packedPlaces(store.db))
    expect(await knownBlobs(store.db, project.id, acknowledged)).toEqual(new Set(acknowledged))
    for (const hash of acknowledged) expect(await blobs.size(hash)).not.toBeNull()
    expect(await readdir(join(dir, 'files', 'incoming'))).toEqual([])
    for (const name of await allNames()) {
      const { bytes } = await blobs.get(BlobHash.parse(name))
      expect(nameOf(await buffer(bytes))).toBe(name)
    }
  })
})

describe('a process that is killed while it stores packs, forgets blobs and tidies up', () => {
  it('W31 W25 has every blob it acknowledged and did not forget, whole', async () => {
    const { project } = await aRun(store.db)
    const said: string[] = []
    for (const after of [20, 200, 500, 900]) said.push(...(await packUntilKilled(project.id, after)))

    const blobs = await openDiskBlobStore(join(dir, 'files'), packedPlaces(store.db))
    const words = said.map((line) => line.split(' '))
    const about = new Set(words.flatMap(([word, hash]) => (word === 'forgetting' ? [hash] : [])))
    const kept = words.flatMap(([word, hash]) => (word === 'stored' && !about.has(hash) ? [hash!] : []))
    expect(kept.length).toBeGreaterThan(100)
    const hashes = kept.map((hash) => BlobHash.parse(hash))
    expect(await knownBlobs(store.db, project.id, hashes)).toEqual(new Set(hashes))
    // Also those that were stored and not acknowledged, if they are known.
    const known = await store.db.selectFrom('blobs').select('hash').execute()
    for (const { hash } of known) expect(nameOf(await buffer((await blobs.get(hash)).bytes))).toBe(hash)
    await blobs.tidy()
    const left = (await readdir(join(dir, 'files', 'packs'))).map((name) => Number.parseInt(name, 10))
    expect(left.length).toBeLessThan(Math.max(...left) / 2)
    for (const hash of hashes) expect(nameOf(await buffer((await blobs.get(hash)).bytes))).toBe(hash)
    await blobs.close()
  })
})

async function allNames(): Promise<string[]> {
  const entries = await readdir(join(dir, 'files'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

const href = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)

/** Kills it the moment it has acknowledged that many, with others under way, and gives all it acknowledged. */
async function storeUntilKilled(project: string, count: number): Promise<BlobHash[]> {
  const script = `
    import { createHash, randomBytes } from 'node:crypto'
    import { openDiskBlobStore } from ${href('./disk-blob-store.ts')}
    import { openSqliteStore } from ${href('../store/sqlite-store.ts')}
    import { packedPlaces } from ${href('../store/packed-places.ts')}
    import { rememberBlob } from ${href('../store/project-blobs.ts')}
    const { db } = await openSqliteStore(${JSON.stringify(join(dir, 'store.sqlite'))})
    const blobs = await openDiskBlobStore(${JSON.stringify(join(dir, 'files'))}, packedPlaces(db))
    const forever = async (_, n) => {
      for (;;) {
        const bytes = randomBytes(n % 4 === 0 ? 900_000 : 5000)
        const hash = 'sha256_' + createHash('sha256').update(bytes).digest('hex')
        const chunks = async function* () { for (let at = 0; at < bytes.length; at += 65536) yield bytes.subarray(at, at + 65536) }
        await blobs.put(hash, chunks(), (size) => rememberBlob(db, ${JSON.stringify(project)}, hash, size, new Date()))
        process.stdout.write(hash + '\\n')
      }
    }
    await Promise.all(Array.from({ length: 16 }, forever))`
  const seen = await linesUntilKilled(script, (line) => BlobHash.safeParse(line).success, count)
  return seen as BlobHash[]
}

/** The same for packs; it says `stored <hash>` when it is acknowledged, and `forgetting <hash>` before it does that. */
function packUntilKilled(project: string, count: number): Promise<string[]> {
  const script = `
    import { createHash, randomBytes } from 'node:crypto'
    import { openDiskBlobStore } from ${href('./disk-blob-store.ts')}
    import { openSqliteStore } from ${href('../store/sqlite-store.ts')}
    import { packedPlaces } from ${href('../store/packed-places.ts')}
    import { receivedBlobs } from ${href('./received-blobs.ts')}
    import { forgetBlob, rememberBlobs } from ${href('../store/project-blobs.ts')}
    const { db } = await openSqliteStore(${JSON.stringify(join(dir, 'store.sqlite'))})
    const index = packedPlaces(db)
    const blobs = await openDiskBlobStore(${JSON.stringify(join(dir, 'files'))}, index, { segmentBytes: 50_000 })
    const project = ${JSON.stringify(project)}
    const forever = async () => {
      for (;;) {
        const all = Array.from({ length: 10 }, () => {
          const bytes = randomBytes(Math.floor(Math.random() * 3000))
          return { hash: 'sha256_' + createHash('sha256').update(bytes).digest('hex'), bytes }
        })
        await blobs.putAll(receivedBlobs(all), project, (stored) => rememberBlobs(db, project, stored, new Date()))
        process.stdout.write(all.map(({ hash }) => 'stored ' + hash + '\\n').join(''))
        for (const { hash } of all.slice(3)) {
          process.stdout.write('forgetting ' + hash + '\\n')
          await blobs.remove(hash, async () => (await forgetBlob(db, project, hash, new Date(Date.now() + 1000))) === 'forgotten')
        }
      }
    }
    const tidy = async () => { for (;;) { await blobs.tidy(); await new Promise(setImmediate) } }
    await Promise.all([tidy(), ...Array.from({ length: 4 }, forever)])`
  return linesUntilKilled(script, (line) => /^(stored|forgetting) sha256_[0-9a-f]{64}$/.test(line), count)
}

async function linesUntilKilled(
  script: string,
  isWhole: (line: string) => boolean,
  count: number,
): Promise<string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const over = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const seen: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    // The last line may be cut off: it was not said.
    if (isWhole(line)) seen.push(line)
    if (seen.length === count) child.kill('SIGKILL')
  }
  await over
  expect(seen.length).toBeGreaterThanOrEqual(count)
  return seen
}
