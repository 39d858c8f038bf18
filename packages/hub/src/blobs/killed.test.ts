import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { BlobHash } from '@farhand/protocol/blob-hash'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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

async function allNames(): Promise<string[]> {
  const entries = await readdir(join(dir, 'files'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

/** Kills it the moment it has acknowledged that many, with others under way, and gives all it acknowledged. */
async function storeUntilKilled(project: string, count: number): Promise<BlobHash[]> {
  const href = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)
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
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const over = once(child, 'exit')
  const seen: BlobHash[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    // The last line may be cut off: it was not said.
    const hash = BlobHash.safeParse(line)
    if (hash.success) seen.push(hash.data)
    if (seen.length === count) child.kill('SIGKILL')
  }
  await over
  expect(seen.length).toBeGreaterThanOrEqual(count)
  return seen
}
