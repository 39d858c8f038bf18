import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packedPlaces } from '../../store/packed-places.ts'
import {
  blobsToConsider,
  forgetBlob,
  isBlobKnownAnywhere,
  keepBlobs,
  knownBlobs,
  nameBlobs,
  projectsWithUnusedBlobs,
  rememberBlob,
  renewBlobs,
} from '../../store/project-blobs.ts'
import { openSqliteStore, type Store } from '../../store/sqlite-store.ts'
import { aRun } from '../../store/store.contract.ts'
import { chunked, nameOf } from '../blob-store.contract.ts'
import type { BlobStore } from '../blob-store.ts'
import { openDiskBlobStore } from '../disk-blob-store.ts'
import { neededByLog } from './needed-by-log.ts'
import { type SweepParts, sweep } from './sweep.ts'

const day = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 24 * 3600_000)
let dir: string
let store: Store
let blobs: BlobStore
let project: ProjectId
let log: StoredEvent[]
let parts: SweepParts

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-sweep-'))
  store = await openSqliteStore(join(dir, 'store.sqlite'))
  blobs = await openDiskBlobStore(join(dir, 'files'), packedPlaces(store.db))
  const { db } = store
  project = (await aRun(db)).project.id
  log = []
  parts = {
    blobs,
    projects: (before) => projectsWithUnusedBlobs(db, before),
    unused: (project, before, page) => blobsToConsider(db, project, before, page),
    needs: async (of) => (of === project ? [await neededByLog(streamed([...log]))] : []),
    forget: (project, hash, before) => forgetBlob(db, project, hash, before),
    isKnownAnywhere: (hash) => isBlobKnownAnywhere(db, hash),
    onError: (error) => {
      throw error
    },
  }
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})

async function* streamed(events: StoredEvent[]) {
  yield* events
}

async function stored(text: string, on: Date, of = project): Promise<BlobHash> {
  const bytes = Buffer.from(text)
  const hash = nameOf(bytes)
  await blobs.put(hash, chunked(bytes), (size) => rememberBlob(store.db, of, hash, size, on))
  return hash
}

function append(method: string, params: Record<string, unknown>, on: Date): void {
  const by =
    method === '_posthog/session_close'
      ? ({ kind: 'hub' } as const)
      : ({ kind: 'runner', generation: 1 } as const)
  const notification = { jsonrpc: '2.0' as const, method, params }
  log.push({ id: log.length + 1, type: 'notification', timestamp: on.toISOString(), notification, by })
}

const write = (path: string, hash: BlobHash, was: BlobHash | null = null) => ({
  path,
  action: was ? 'modified' : 'created',
  hash,
  was: was && { mode: '100644', hash: was },
})

const there = async (hash: BlobHash, of = project) => ({
  bytes: (await blobs.size(hash)) !== null,
  row: (await knownBlobs(store.db, of, [hash])).has(hash),
})
const present = { bytes: true, row: true }
const gone = { bytes: false, row: false }

describe('W25 a sweep', () => {
  it('removes a blob that no event named and no project used for 30 days, and not before', async () => {
    const hash = await stored('never named', day(0))
    expect(await sweep(parts, day(29.9))).toEqual({ removed: 0 })
    expect(await there(hash)).toEqual(present)
    expect(await sweep(parts, day(30.1))).toEqual({ removed: 1 })
    expect(await there(hash)).toEqual(gone)
  })

  it('keeps the current file of an open run, no matter how old it is', async () => {
    const hash = await stored('current', day(0))
    append('_posthog/file_change', write('x', hash), day(0))
    expect(await sweep(parts, day(4000))).toEqual({ removed: 0 })
    expect(await there(hash)).toEqual(present)
  })

  it('gives a replaced version 30 days from the moment it was replaced', async () => {
    const first = await stored('one', day(0))
    const second = await stored('two', day(100))
    append('_posthog/file_change', write('x', first), day(0))
    append('_posthog/file_change', write('x', second, first), day(100))
    await sweep(parts, day(129.9))
    expect(await there(first)).toEqual(present)
    expect(await sweep(parts, day(130.1))).toEqual({ removed: 1 })
    expect(await there(first)).toEqual(gone)
    expect(await there(second)).toEqual(present)
  })

  it('gives a version that did not count 30 days', async () => {
    const [first, second, lost] = [
      await stored('1', day(0)),
      await stored('2', day(0)),
      await stored('3', day(0)),
    ]
    append('_posthog/file_change', write('x', first), day(0))
    append('_posthog/file_change', write('x', second, first), day(1))
    append('_posthog/file_change', write('x', lost, first), day(2))
    await sweep(parts, day(31.5))
    expect(await there(first)).toEqual(gone)
    expect(await there(lost)).toEqual(present)
    await sweep(parts, day(32.1))
    expect(await there(lost)).toEqual(gone)
    expect(await there(second)).toEqual(present)
  })

  it('gives the files of a closed run 30 days from its close', async () => {
    const hash = await stored('closed', day(0))
    append('_posthog/file_change', write('x', hash), day(0))
    append('_posthog/session_close', {}, day(50))
    await sweep(parts, day(79.9))
    expect(await there(hash)).toEqual(present)
    await sweep(parts, day(80.1))
    expect(await there(hash)).toEqual(gone)
  })

  it('gives another 30 days to what was asked for or stored again', async () => {
    const asked = await stored('asked', day(0))
    const again = await stored('again', day(0))
    await renewBlobs(store.db, project, [asked], day(20))
    await stored('again', day(20))
    await sweep(parts, day(49.9))
    expect([await there(asked), await there(again)]).toEqual([present, present])
    expect(await sweep(parts, day(50.1))).toEqual({ removed: 2 })
  })

  it('leaves bundles alone for good', async () => {
    const hash = await stored('bundle', day(0))
    append('_posthog/git_commit', { sha: 'abcd', bundle: hash }, day(0))
    append('_posthog/session_close', {}, day(1))
    expect(await sweep(parts, day(4000))).toEqual({ removed: 0 })
    log = []
    await keepBlobs(store.db, project, [hash])
    expect(await sweep(parts, day(4000))).toEqual({ removed: 0 })
    expect(await there(hash)).toEqual(present)
  })

  it('looks past any number of old blobs that are still needed', async () => {
    const needed = Array.from({ length: 1200 }, (_, n) => nameOf(Buffer.from(`needed ${n}`)))
    await Promise.all(needed.map((hash) => rememberBlob(store.db, project, hash, 1, day(0))))
    for (const hash of needed) append('_posthog/file_change', write(hash, hash), day(0))
    for (let n = 0; n < 20; n++) await stored(`old ${n}`, day(0))
    expect(await sweep(parts, day(60))).toEqual({ removed: 20 })
    expect(await knownBlobs(store.db, project, needed)).toEqual(new Set(needed))
  })

  it('takes the bytes only with the last project that has them', async () => {
    const other = (await aRun(store.db)).project.id
    const hash = await stored('shared', day(0))
    await stored('shared', day(10), other)
    expect(await sweep(parts, day(31))).toEqual({ removed: 1 })
    expect(await there(hash)).toEqual({ bytes: true, row: false })
    expect(await there(hash, other)).toEqual(present)
    expect(await sweep(parts, day(41))).toEqual({ removed: 1 })
    expect(await there(hash, other)).toEqual(gone)
  })

  it('removes nothing of a project whose logs cannot be read, and goes on with the others', async () => {
    const other = (await aRun(store.db)).project.id
    const hash = await stored('mine', day(0))
    const theirs = await stored('theirs', day(0), other)
    const errors: unknown[] = []
    const needs = async (of: ProjectId) => {
      if (of === project) throw new Error('log unreadable')
      return []
    }
    const onError = (error: unknown, of: ProjectId) => errors.push([String(error), of])
    expect(await sweep({ ...parts, needs, onError }, day(40))).toEqual({ removed: 1 })
    expect(errors).toEqual([['Error: log unreadable', project]])
    expect(await there(hash)).toEqual(present)
    expect(await there(theirs, other)).toEqual(gone)
  })

  it('stops between two blobs when it is told to', async () => {
    for (let n = 0; n < 5; n++) await stored(`old ${n}`, day(0))
    const stop = new AbortController()
    const forget: SweepParts['forget'] = async (...about) => {
      stop.abort()
      return parts.forget(...about)
    }
    expect(await sweep({ ...parts, forget }, day(40), stop.signal)).toEqual({ removed: 1 })
  })
})

describe('W25 a sweep never removes what', () => {
  const now = day(40)

  it('an event names after the logs were read', async () => {
    const hash = await stored('named late', day(0))
    const needs: SweepParts['needs'] = async (of) => {
      const read = await parts.needs(of)
      expect(await nameBlobs(store.db, project, [hash], now)).toEqual([])
      append('_posthog/file_change', write('x', hash), now)
      return read
    }
    expect(await sweep({ ...parts, needs }, now)).toEqual({ removed: 0 })
    expect(await there(hash)).toEqual(present)
  })

  it('an event names after the sweep chose it', async () => {
    const hash = await stored('named later', day(0))
    const forget: SweepParts['forget'] = async (...about) => {
      expect(await nameBlobs(store.db, project, [hash], now)).toEqual([])
      append('_posthog/file_change', write('x', hash), now)
      return parts.forget(...about)
    }
    expect(await sweep({ ...parts, forget }, now)).toEqual({ removed: 0 })
    expect(await there(hash)).toEqual(present)
  })

  it('an event was about to name, which is told that it is missing if it came too late', async () => {
    const hash = await stored('named too late', day(0))
    const isKnownAnywhere: SweepParts['isKnownAnywhere'] = async (of) => {
      expect(await nameBlobs(store.db, project, [hash], now)).toEqual([hash])
      return parts.isKnownAnywhere(of)
    }
    expect(await sweep({ ...parts, isKnownAnywhere }, now)).toEqual({ removed: 1 })
    expect(await there(hash)).toEqual(gone)
  })

  it.each(['unused', 'forget', 'isKnownAnywhere'] as const)(
    'a client begins to store at the moment of %s',
    async (moment) => {
      const hash = await stored('stored again', day(0))
      let storing: Promise<unknown> | undefined
      const at = async () => {
        storing ??= stored('stored again', now)
        // As far as it gets on its own: it must not depend on who is faster.
        for (let turn = 0; turn < 10; turn++) await blobs.size(hash)
      }
      const raced: SweepParts = {
        ...parts,
        unused: async (...about) => {
          const found = await parts.unused(...about)
          if (moment === 'unused') await at()
          return found
        },
        forget: async (...about) => {
          if (moment === 'forget') await at()
          return parts.forget(...about)
        },
        isKnownAnywhere: async (...about) => {
          if (moment === 'isKnownAnywhere') await at()
          return parts.isKnownAnywhere(...about)
        },
      }
      await sweep(raced, now)
      await storing
      expect(await there(hash)).toEqual(present)
    },
  )

  it('another project stores meanwhile', async () => {
    const other = (await aRun(store.db)).project.id
    const hash = await stored('shared', day(0))
    let storing: Promise<unknown> | undefined
    const forget: SweepParts['forget'] = async (...about) => {
      storing ??= stored('shared', now, other)
      for (let turn = 0; turn < 10; turn++) await blobs.size(hash)
      return parts.forget(...about)
    }
    expect(await sweep({ ...parts, forget }, now)).toEqual({ removed: 1 })
    await storing
    expect(await there(hash, other)).toEqual(present)
  })

  it('is still being uploaded, however slowly', async () => {
    const bytes = Buffer.from('slowly')
    const hash = await stored('slowly', day(0))
    const uploading = blobs.put(
      hash,
      chunked(bytes, 1, async () => {
        expect(await sweep(parts, now)).toEqual({ removed: 0 })
      }),
      (size) => rememberBlob(store.db, project, hash, size, now),
    )
    await uploading
    expect(await there(hash)).toEqual(present)
  })
})
