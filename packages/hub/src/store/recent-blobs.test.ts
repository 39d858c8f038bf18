import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { packedPlaces } from './packed-places.ts'
import {
  blobsToConsider,
  forgetBlob,
  isBlobKnownAnywhere,
  knownBlobs,
  nameBlobs,
  rememberBlobs,
  unknownBlobs,
} from './project-blobs.ts'
import { recentBlobs } from './recent-blobs.ts'
import { openSqliteStore, type Store } from './sqlite-store.ts'
import { aRun, hashOf, later, noon } from './store.contract.ts'

let dir: string
let store: Store
let db: Store['db']
let project: ProjectId
let other: ProjectId
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'farhand-recent-'))
  store = await openSqliteStore(join(dir, 'store.sqlite'))
  db = store.db
  project = (await aRun(db)).project.id
  other = (await aRun(db)).project.id
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true })
})

/** Rows are written only when a caller needs them, no matter how slow this machine is. */
function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}
const noted = (n: number, start = n * 100) =>
  ({ hash: hashOf(n), size: 10, place: { segment: 1, start }, isNoted: true }) as const
const rows = async () => (await db.selectFrom('blobs').select('hash').execute()).map(({ hash }) => hash)
const usedAt = async (n: number) =>
  (await blobsToConsider(db, project, later(1000), { after: null, limit: 1000 })).find(
    ({ hash }) => hash === hashOf(n),
  )?.usedAt

describe('blobs whose segment names their owner', () => {
  it('W31 are known before they have rows, and have them when a caller needs them', async () => {
    holdTime()
    await rememberBlobs(db, project, [noted(1)], noon)
    expect(await rows()).toEqual([])
    expect(await knownBlobs(db, project, [hashOf(1), hashOf(2)])).toEqual(new Set([hashOf(1)]))
    expect(await nameBlobs(db, project, [hashOf(1)], noon)).toEqual([])
    expect(await isBlobKnownAnywhere(db, hashOf(1))).toBe(true)
    expect(await rows()).toEqual([])
    expect(await unknownBlobs(db, [hashOf(1), hashOf(2)])).toEqual([hashOf(2)])
    expect(await rows()).toEqual([hashOf(1)])
    expect(await packedPlaces(db).settledUpTo()).toEqual({ segment: 1, start: 110 })
  })

  it('W24 are unknown to every other project, also when both bring them at once', async () => {
    await rememberBlobs(db, project, [noted(1)], noon)
    expect(await knownBlobs(db, other, [hashOf(1)])).toEqual(new Set())
    expect(await nameBlobs(db, other, [hashOf(1)], noon)).toEqual([hashOf(1)])
    await rememberBlobs(db, other, [noted(1, 500)], noon)
    for (const owner of [project, other])
      expect(await knownBlobs(db, owner, [hashOf(1)])).toEqual(new Set([hashOf(1)]))
    await recentBlobs(db).settle()
    expect(await rows()).toEqual([hashOf(1), hashOf(1)])
  })

  it('W25 are unknown once a sweep has removed them, settled or not', async () => {
    await rememberBlobs(db, project, [noted(1), noted(2)], noon)
    await recentBlobs(db).settle()
    await rememberBlobs(db, project, [noted(3)], noon)
    for (const n of [1, 3]) expect(await forgetBlob(db, project, hashOf(n), later(1))).toBe('forgotten')
    const all = [hashOf(1), hashOf(2), hashOf(3)]
    expect(await knownBlobs(db, project, all)).toEqual(new Set([hashOf(2)]))
    expect(await nameBlobs(db, project, all, noon)).toEqual([hashOf(1), hashOf(3)])
    expect([...(await packedPlaces(db).find(all)).keys()]).toEqual([hashOf(2)])
    expect(await isBlobKnownAnywhere(db, hashOf(3))).toBe(false)
    await rememberBlobs(db, project, [noted(3, 900)], noon)
    expect((await packedPlaces(db).find(all)).get(hashOf(3))?.place?.start).toBe(900)
  })

  it('W25 are renewed in the table when they are named later than a sweep would spare them for', async () => {
    await rememberBlobs(db, project, [noted(1)], noon)
    await nameBlobs(db, project, [hashOf(1)], later(0.4))
    expect(await usedAt(1)).toEqual(noon)
    await nameBlobs(db, project, [hashOf(1)], later(2))
    expect(await usedAt(1)).toEqual(later(2))
    const { hash, size, place } = noted(1)
    await rememberBlobs(db, project, [{ hash, size, place }], later(4))
    expect(await usedAt(1)).toEqual(later(4))
  })

  it('W25 are found where they were moved to', async () => {
    await rememberBlobs(db, project, [noted(1)], noon)
    await packedPlaces(db).move(1, [{ hash: hashOf(1), to: { segment: 2, start: 7 } }])
    expect((await packedPlaces(db).find([hashOf(1)])).get(hashOf(1))).toEqual({
      size: 10,
      place: { segment: 2, start: 7 },
    })
  })

  it('are still known, and written later, if the table could not take them', async () => {
    await rememberBlobs(db, project, [noted(1)], noon)
    await db.schema.alterTable('settled_packs').renameTo('away').execute()
    await expect(recentBlobs(db).settle()).rejects.toThrow('settled_packs')
    expect(await rows()).toEqual([])
    expect(await knownBlobs(db, project, [hashOf(1)])).toEqual(new Set([hashOf(1)]))
    await db.schema.alterTable('away').renameTo('settled_packs').execute()
    await recentBlobs(db).settle()
    expect(await rows()).toEqual([hashOf(1)])
  })

  it('are written again after a failure, which is reported', async () => {
    await db.schema.alterTable('settled_packs').renameTo('away').execute()
    const told = new Promise((resolve) => {
      recentBlobs(db).onTrouble = resolve
    })
    await rememberBlobs(db, project, [noted(1)], noon)
    expect(String(await told)).toContain('settled_packs')
    await db.schema.alterTable('away').renameTo('settled_packs').execute()
    await expect.poll(rows, { timeout: 60_000 }).toEqual([hashOf(1)])
  })

  it('are known, no matter how many came after them', async () => {
    for (let n = 0; n < 45_000; n += 3000) {
      const some = Array.from({ length: 3000 }, (_, m) => noted(n + m))
      await rememberBlobs(db, project, some, noon)
    }
    const all = Array.from({ length: 45_000 }, (_, n) => hashOf(n))
    expect((await knownBlobs(db, project, all)).size).toBe(45_000)
    await recentBlobs(db).settle()
    expect(await recentBlobs(db).find(hashOf(0))).toBeUndefined()
    expect((await packedPlaces(db).find([hashOf(0)])).get(hashOf(0))?.place?.start).toBe(0)
  })

  it('W5 do not make later callers skip the wait for the disk', async () => {
    await rememberBlobs(db, project, [noted(1)], noon)
    await recentBlobs(db).settle()
    const { rows: found } = await sql<{ synchronous: number }>`pragma synchronous`.execute(db)
    expect(found).toEqual([{ synchronous: 2 }])
  })

  it('are written when the store is closed', async () => {
    await rememberBlobs(db, project, [noted(1)], noon)
    await store.close()
    store = await openSqliteStore(join(dir, 'store.sqlite'))
    expect(await knownBlobs(store.db, project, [hashOf(1)])).toEqual(new Set([hashOf(1)]))
  })
})
