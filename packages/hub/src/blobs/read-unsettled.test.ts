import { randomBytes } from 'node:crypto'
import { appendFile, mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packedPlaces } from '../store/packed-places.ts'
import { forgetBlob, knownBlobs, rememberBlobs } from '../store/project-blobs.ts'
import { openSqliteStore, type Store } from '../store/sqlite-store.ts'
import { aRun } from '../store/store.contract.ts'
import { nameOf } from './blob-store.contract.ts'
import { openDiskBlobStore } from './disk-blob-store.ts'
import { whole } from './packed-blobs.contract.ts'
import { receivedBlobs } from './received-blobs.ts'

let dir: string
let store: Store
let project: ProjectId
let other: ProjectId
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-unsettled-'))
  store = await openSqliteStore(join(dir, 'store.sqlite'))
  project = (await aRun(store.db)).project.id
  other = (await aRun(store.db)).project.id
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})

const openBlobs = () => openDiskBlobStore(join(dir, 'files'), packedPlaces(store.db))
const segment = (n: number) => join(dir, 'files', 'packs', `${n}.pack`)

/** Stores packs for which no rows are ever written: as if the power went right after each was acknowledged. */
async function putWithoutRows(...packs: { owner: ProjectId; blobs: Buffer[] }[]): Promise<void> {
  const blobs = await openBlobs()
  for (const { owner, blobs: all } of packs)
    await blobs.putAll(receivedBlobs(all.map(whole)), owner, async () => {})
  await blobs.close()
}

const known = async (owner: ProjectId, blobs: readonly Buffer[]) =>
  [...(await knownBlobs(store.db, owner, blobs.map(nameOf)))].sort()
const names = (blobs: readonly Buffer[]): BlobHash[] => blobs.map(nameOf).sort()

describe('packed blobs whose rows a crash took', () => {
  it('W31 are known again to the project that sent them, and to no other', async () => {
    const [ours, theirs] = [[randomBytes(100), Buffer.alloc(0)], [randomBytes(200_000)]]
    await putWithoutRows({ owner: project, blobs: ours }, { owner: other, blobs: theirs })
    expect(await known(project, ours)).toEqual([])
    const blobs = await openBlobs()
    expect(await known(project, [...ours, ...theirs])).toEqual(names(ours))
    expect(await known(other, [...ours, ...theirs])).toEqual(names(theirs))
    for (const bytes of [...ours, ...theirs])
      expect((await buffer((await blobs.get(nameOf(bytes))).bytes)).equals(bytes)).toBe(true)
    await blobs.close()
  })

  it('W31 are found as far as the disk has them whole, no matter where the segment ends', async () => {
    const packs = [[randomBytes(50), randomBytes(60)], [randomBytes(70)]]
    await putWithoutRows(...packs.map((blobs) => ({ owner: project, blobs })))
    const bytes = await readFile(segment(1))
    const ends = packs.flat().map((blob) => bytes.indexOf(blob) + blob.length)
    for (let cut = 0; cut <= bytes.length; cut++) {
      await store.db.deleteFrom('blobs').execute()
      await store.db.updateTable('settled_packs').set({ segment: 1, start: 0 }).execute()
      await writeFile(segment(1), bytes)
      await truncate(segment(1), cut)
      const blobs = await openBlobs()
      const there = packs.flat().filter((_, n) => ends[n]! <= cut)
      expect(await known(project, packs.flat()), `cut at ${cut}`).toEqual(names(there))
      await blobs.close()
    }
  })

  it('W31 are not taken for good if other bytes are in their place', async () => {
    const all = [randomBytes(5000), randomBytes(5000), randomBytes(5000)]
    await putWithoutRows({ owner: project, blobs: all })
    const file = await open(segment(1), 'r+')
    const at = (await readFile(segment(1))).indexOf(all[1]!)
    await file.write(Buffer.alloc(4000), 0, 4000, at)
    await file.close()
    const blobs = await openBlobs()
    expect(await known(project, all)).toEqual(names(all.slice(0, 1)))
    const later = randomBytes(10)
    await blobs.putAll(receivedBlobs([whole(later)]), project, async () => {})
    await blobs.close()
    const next = await openBlobs()
    expect(await known(project, [...all, later])).toEqual(names([all[0]!, later]))
    await next.close()
  })

  it('W25 do not come back if they were forgotten before', async () => {
    const bytes = randomBytes(100)
    const first = await openBlobs()
    await first.putAll(receivedBlobs([whole(bytes)]), project, (stored) =>
      rememberBlobs(store.db, project, stored, new Date()),
    )
    await forgetBlob(store.db, project, nameOf(bytes), new Date(Date.now() + 1000))
    const next = await openBlobs()
    expect(await known(project, [bytes])).toEqual([])
    expect(await next.size(nameOf(bytes))).toBeNull()
    await first.close()
    await next.close()
  })

  it('are not looked for in what an older hub wrote, or where nothing can be read', async () => {
    await putWithoutRows()
    await writeFile(segment(1), randomBytes(1000))
    await store.db.deleteFrom('settled_packs').execute()
    await (await openBlobs()).close()
    await appendFile(segment(1), 'n{}')
    const blobs = await openBlobs()
    const bytes = randomBytes(10)
    await blobs.putAll(receivedBlobs([whole(bytes)]), project, async () => {})
    await blobs.close()
    await (await openBlobs()).close()
    expect(await known(project, [bytes])).toEqual(names([bytes]))
  })

  it('are passed over if the tables are older and do not have their project', async () => {
    const bytes = [randomBytes(10), randomBytes(10)]
    const gone = 'prj_0000000000000000000000' as ProjectId
    await putWithoutRows({ owner: gone, blobs: [bytes[0]!] }, { owner: project, blobs: [bytes[1]!] })
    await (await openBlobs()).close()
    expect(await known(project, bytes)).toEqual(names([bytes[1]!]))
  })
})
