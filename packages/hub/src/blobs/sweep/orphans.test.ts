import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packedPlaces } from '../../store/packed-places.ts'
import { rememberBlob, unknownBlobs } from '../../store/project-blobs.ts'
import { openSqliteStore, type Store } from '../../store/sqlite-store.ts'
import { aRun } from '../../store/store.contract.ts'
import { chunked, nameOf } from '../blob-store.contract.ts'
import type { BlobStore } from '../blob-store.ts'
import { openDiskBlobStore } from '../disk-blob-store.ts'
import { type OrphanParts, removeOrphans } from './orphans.ts'

const bytes = Buffer.from('orphan')
const hash = nameOf(bytes)
const digits = hash.slice(7, 9)
const inHours = (hours: number) => new Date(Date.now() + hours * 3600_000)
let dir: string
let store: Store
let blobs: BlobStore
let project: ProjectId
let parts: OrphanParts

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-orphans-'))
  store = await openSqliteStore(join(dir, 'store.sqlite'))
  blobs = await openDiskBlobStore(join(dir, 'files'), packedPlaces(store.db))
  project = (await aRun(store.db)).project.id
  parts = { blobs, unknown: (hashes) => unknownBlobs(store.db, hashes) }
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})

const known = () =>
  blobs.put(hash, chunked(bytes), (size) => rememberBlob(store.db, project, hash, size, new Date()))

describe('W25 bytes', () => {
  it('that no project has are removed once they are an hour old', async () => {
    await blobs.put(hash, chunked(bytes))
    expect(await removeOrphans(parts, digits, inHours(0.9))).toBe(0)
    expect(await blobs.size(hash)).toBe(bytes.length)
    expect(await removeOrphans(parts, digits, inHours(1.1))).toBe(1)
    expect(await blobs.size(hash)).toBeNull()
    expect(await removeOrphans(parts, digits, inHours(1.1))).toBe(0)
  })

  it('that a project has stay, no matter how old they are', async () => {
    await known()
    expect(await removeOrphans(parts, digits, inHours(10_000))).toBe(0)
    expect(await blobs.size(hash)).toBe(bytes.length)
  })

  it('that a project stores after they were chosen stay', async () => {
    await blobs.put(hash, chunked(bytes))
    let storing: Promise<unknown> | undefined
    const unknown = async (hashes: readonly BlobHash[]) => {
      const found = await parts.unknown(hashes)
      storing ??= known()
      await storing
      return found
    }
    expect(await removeOrphans({ blobs, unknown }, digits, inHours(2))).toBe(0)
    expect(await blobs.size(hash)).toBe(bytes.length)
  })

  it('that a project begins to store during their removal are there afterwards', async () => {
    await blobs.put(hash, chunked(bytes))
    let asked = 0
    let storing: Promise<unknown> | undefined
    const unknown = async (hashes: readonly BlobHash[]) => {
      if (++asked === 2) storing = known()
      return parts.unknown(hashes)
    }
    expect(await removeOrphans({ blobs, unknown }, digits, inHours(2))).toBe(1)
    await storing
    expect(await blobs.size(hash)).toBe(bytes.length)
    expect(await parts.unknown([hash])).toEqual([])
  })

  it('that are on their way in are left alone', async () => {
    await blobs.put(hash, chunked(bytes))
    const uploading = chunked(bytes, 1, async () => {
      expect(await removeOrphans(parts, digits, inHours(2))).toBe(0)
    })
    await blobs.put(hash, uploading)
    expect(await blobs.size(hash)).toBe(bytes.length)
  })

  it('stay when it is told to stop', async () => {
    await blobs.put(hash, chunked(bytes))
    expect(await removeOrphans(parts, digits, inHours(2), AbortSignal.abort())).toBe(0)
  })
})
