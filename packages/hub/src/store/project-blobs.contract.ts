import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { packedPlaces } from './packed-places.ts'
import {
  blobsToConsider,
  forgetBlob,
  isBlobKnownAnywhere,
  keepBlobs,
  knownBlobs,
  nameBlobs,
  projectsWithUnusedBlobs,
  rememberBlob,
  rememberBlobs,
  renewBlobs,
  unknownBlobs,
} from './project-blobs.ts'
import type { Store } from './sqlite-store.ts'
import { aRun, hashOf, later, noon } from './store.contract.ts'
import type { Db } from './tables.ts'

/** What every relational store must do for the blobs of projects. */
export function projectBlobsContract(open: () => Promise<Store>): void {
  let store: Store
  let db: Db
  let project: Awaited<ReturnType<typeof aRun>>['project']['id']
  beforeAll(async () => {
    store = await open()
    db = store.db
  })
  beforeEach(async () => {
    project = (await aRun(db)).project.id
  })
  afterAll(() => store.close())

  const unused = (before: Date) => blobsToConsider(db, project, before, { after: null, limit: 1000 })
  const usedAt = async (n: number) =>
    (await unused(later(1000))).find((row) => row.hash === hashOf(n))?.usedAt

  describe('the blobs of a project', () => {
    it('W24 are known there and nowhere else', async () => {
      const other = (await aRun(db)).project.id
      await rememberBlob(db, project, hashOf(1), 10, noon)
      await rememberBlob(db, project, hashOf(1), 10, noon)
      expect(await knownBlobs(db, project, [hashOf(1), hashOf(2)])).toEqual(new Set([hashOf(1)]))
      expect(await knownBlobs(db, other, [hashOf(1)])).toEqual(new Set())
      expect(await knownBlobs(db, project, [])).toEqual(new Set())
    })

    it('W24 can be looked up by the thousand', async () => {
      const hashes = Array.from({ length: 2500 }, (_, n) => hashOf(n))
      for (const n of [0, 999, 1000, 2499]) await rememberBlob(db, project, hashOf(n), 1, noon)
      const known = [0, 999, 1000, 2499].map(hashOf)
      expect(await knownBlobs(db, project, hashes)).toEqual(new Set(known))
      expect(await nameBlobs(db, project, hashes, noon)).toHaveLength(2496)
    })

    it('are told apart from those that no project has', async () => {
      const other = (await aRun(db)).project.id
      await rememberBlob(db, other, hashOf(7001), 1, noon)
      await rememberBlob(db, project, hashOf(7002), 1, noon)
      expect(await unknownBlobs(db, [hashOf(7001), hashOf(7002), hashOf(7003)])).toEqual([hashOf(7003)])
    })

    it('do not hold up other requests while many are looked up', async () => {
      const hashes = Array.from({ length: 4000 }, (_, n) => hashOf(n))
      let turns = 0
      const count = () => {
        turns++
        counting = setImmediate(count)
      }
      let counting = setImmediate(count)
      expect(await nameBlobs(db, project, hashes, noon)).toHaveLength(4000)
      clearImmediate(counting)
      expect(turns).toBeGreaterThanOrEqual(6)
    })

    it('are all known when many were stored at once, some of them twice', async () => {
      const hashes = Array.from({ length: 100 }, (_, n) => hashOf(n))
      await Promise.all([...hashes, ...hashes].map((hash) => rememberBlob(db, project, hash, 1, noon)))
      expect(await knownBlobs(db, project, hashes)).toEqual(new Set(hashes))
    })

    it('keep a size beyond 32 bits', async () => {
      await rememberBlob(db, project, hashOf(1), 2 ** 40, noon)
      const row = await db
        .selectFrom('blobs')
        .select('size')
        .where('project_id', '=', project)
        .executeTakeFirst()
      expect(row).toEqual({ size: 2 ** 40 })
    })

    it('W25 are renewed by storing and by asking, but within the hour nothing is written', async () => {
      await rememberBlob(db, project, hashOf(1), 10, noon)
      await renewBlobs(db, project, [hashOf(1)], later(0.9))
      expect(await usedAt(1)).toEqual(noon)
      await renewBlobs(db, project, [hashOf(1)], later(1.1))
      expect(await usedAt(1)).toEqual(later(1.1))
      await rememberBlob(db, project, hashOf(1), 10, later(5))
      expect(await usedAt(1)).toEqual(later(5))
    })

    it('W25 never grow older', async () => {
      await rememberBlob(db, project, hashOf(1), 10, later(5))
      await rememberBlob(db, project, hashOf(1), 10, noon)
      await renewBlobs(db, project, [hashOf(1)], noon)
      expect(await usedAt(1)).toEqual(later(5))
    })

    it('W24 named by an event are renewed, and those that are missing are listed once each', async () => {
      await rememberBlob(db, project, hashOf(1), 10, noon)
      const named = [hashOf(1), hashOf(2), hashOf(2), hashOf(1)]
      expect(await nameBlobs(db, project, named, later(3))).toEqual([hashOf(2)])
      expect(await usedAt(1)).toEqual(later(3))
      expect(await nameBlobs(db, project, [], noon)).toEqual([])
    })

    it('W25 that were not used for long are considered page by page, those kept for good never', async () => {
      const hours = [1, 0, 9, 2, 3]
      for (const [n, hour] of hours.entries()) await rememberBlob(db, project, hashOf(n), 10, later(hour))
      await keepBlobs(db, project, [hashOf(1)])
      await keepBlobs(db, project, [hashOf(1)])
      expect(await unused(later(5))).toEqual([
        { hash: hashOf(0), usedAt: later(1), kept: false },
        { hash: hashOf(3), usedAt: later(2), kept: false },
        { hash: hashOf(4), usedAt: later(3), kept: false },
      ])
      const first = await blobsToConsider(db, project, later(5), { after: null, limit: 2 })
      const second = await blobsToConsider(db, project, later(5), { after: first[1]!.hash, limit: 2 })
      expect([...first, ...second].map((row) => row.hash)).toEqual([0, 3, 4].map(hashOf))
    })

    it('W25 make their project one that is swept', async () => {
      const early = new Date('2001-01-01T00:00:00.000Z')
      await rememberBlob(db, project, hashOf(1), 10, early)
      expect(await projectsWithUnusedBlobs(db, later(-24))).toEqual([project])
      await keepBlobs(db, project, [hashOf(1)])
      expect(await projectsWithUnusedBlobs(db, later(-24))).toEqual([])
    })

    it('W25 are forgotten only if they were not used or kept since', async () => {
      for (const n of [1, 2, 3]) await rememberBlob(db, project, hashOf(n), 10, noon)
      await nameBlobs(db, project, [hashOf(2)], later(4))
      await keepBlobs(db, project, [hashOf(3)])
      expect(await forgetBlob(db, project, hashOf(1), later(1))).toBe('forgotten')
      expect(await forgetBlob(db, project, hashOf(2), later(1))).toBe('renewed')
      expect(await forgetBlob(db, project, hashOf(3), later(1))).toBe('renewed')
      const all = [1, 2, 3].map(hashOf)
      expect(await knownBlobs(db, project, all)).toEqual(new Set([hashOf(2), hashOf(3)]))
    })

    it('are known anywhere as long as one project has them', async () => {
      const other = (await aRun(db)).project.id
      const hash = hashOf(0xabc)
      await rememberBlob(db, project, hash, 10, noon)
      await rememberBlob(db, other, hash, 10, noon)
      await forgetBlob(db, project, hash, later(1))
      expect(await isBlobKnownAnywhere(db, hash)).toBe(true)
      await forgetBlob(db, other, hash, later(1))
      expect(await isBlobKnownAnywhere(db, hash)).toBe(false)
    })
  })

  describe('places of packed blobs', () => {
    const places = () => packedPlaces(db)
    const place = (segment: number, start: number) => ({ segment, start })

    it('are recorded with the blob, found for every project, and not lost when the blob is sent again', async () => {
      const other = (await aRun(db)).project.id
      const [packed, single] = [hashOf(8001), hashOf(8002)]
      await rememberBlob(db, other, packed, 10, noon)
      await rememberBlobs(
        db,
        project,
        [
          { hash: packed, size: 10, place: place(701, 37) },
          { hash: single, size: 5 },
        ],
        noon,
      )
      await rememberBlob(db, project, packed, 10, later(1))
      expect(await places().find([packed, single, hashOf(8003)])).toEqual(
        new Map([
          [packed, { size: 10, place: place(701, 37) }],
          [single, { size: 5, place: null }],
        ]),
      )
    })

    it('can be moved, and tell what of a segment is used; a blob of two projects counts once', async () => {
      const other = (await aRun(db)).project.id
      const blobs = Array.from({ length: 250 }, (_, n) => ({
        hash: hashOf(9000 + n),
        size: 10,
        place: place(702, 1000 - n),
      }))
      for (const owner of [project, other]) await rememberBlobs(db, owner, blobs, noon)
      expect(await places().usedBytes(702)).toBe(2500)
      const used = await places().used(702)
      expect(used.map(({ start }) => start)).toEqual(blobs.map(({ place }) => place.start).reverse())
      const [first, ...rest] = used
      await places().move(
        702,
        rest.map(({ hash }, n) => ({ hash, to: place(703, n) })),
      )
      expect(await places().used(702)).toEqual([first])
      expect(await places().usedBytes(703)).toBe(2490)
      expect(await places().lastSegment()).toBeGreaterThanOrEqual(703)
      expect([await places().usedBytes(704), await places().used(704)]).toEqual([0, []])
    })
  })
}
