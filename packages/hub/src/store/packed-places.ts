import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { Fault } from '@farhand/protocol/wire/faults'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { insertBlobs } from './insert-blobs.ts'
import { recentBlobs, settled } from './recent-blobs.ts'
import { padded, portions } from './statements.ts'
import type { Db } from './tables.ts'

export type PackedPlace = { segment: number; start: number }
type Found = { size: number; place: PackedPlace | null }
type Row = { hash: BlobHash; size: number; segment: number | null; start: number | null }
type Recovered = {
  owner: string | null
  at: Date
  blobs: readonly { hash: BlobHash; size: number; place: PackedPlace }[]
}

async function putWhereTheyAre(db: Db, moved: Recovered['blobs']): Promise<void> {
  for (const { hash, place } of moved)
    await db
      .updateTable('blobs')
      .set(place)
      .where('hash', '=', hash)
      .where('segment', 'is not', null)
      .execute()
}

/** The places of packed blobs of all projects. A place is stored in the row that says which project has the blob. */
export function packedPlaces(db: Db) {
  const recent = recentBlobs(db)
  const { statements } = recent
  const remembered = (hashes: readonly BlobHash[]): Map<BlobHash, Found> =>
    new Map(
      hashes.flatMap((hash) => {
        const blob = recent.find(hash)
        return blob ? [[hash, blob] as const] : []
      }),
    )

  return {
    async find(hashes: readonly BlobHash[], options?: { asWritten: true }): Promise<Map<BlobHash, Found>> {
      if (options?.asWritten) {
        await recent.settle()
        for (const hash of hashes) recent.drop(hash)
      }
      const found = remembered(hashes)
      const others = hashes.filter((hash) => !found.has(hash))
      for await (const some of portions(others)) {
        const all = padded(some)
        const rows = await statements.run<Row>(db, `find ${all.length}`, all, () =>
          db.selectFrom('blobs').select(['hash', 'size', 'segment', 'start']).where('hash', 'in', all),
        )
        for (const { hash, size, segment, start } of rows) {
          const place = segment === null ? null : { segment, start: start! }
          if (place || !found.has(hash)) found.set(hash, { size, place })
        }
      }
      return found
    },

    remembered,

    async usedBytes(segment: number): Promise<number> {
      await recent.settle()
      const { bytes } = await db
        .selectFrom(
          db
            .selectFrom('blobs')
            .select(['hash', 'size'])
            .distinct()
            .where('segment', '=', segment)
            .as('used'),
        )
        .select(({ fn }) => fn.sum<number | null>('size').as('bytes'))
        .executeTakeFirstOrThrow()
      return Number(bytes ?? 0)
    },

    async used(segment: number) {
      await recent.settle()
      const rows = await db
        .selectFrom('blobs')
        .select(['hash', 'start', 'size'])
        .distinct()
        .where('segment', '=', segment)
        .orderBy('start')
        .execute()
      return rows.map(({ hash, start, size }) => ({ hash, start: start!, size }))
    },

    async move(from: number, moved: readonly { hash: BlobHash; to: PackedPlace }[]): Promise<void> {
      await recent.settle()
      await db.transaction().execute(async (trx) => {
        for (const { hash, to } of moved) {
          await trx
            .updateTable('blobs')
            .set(to)
            .where('hash', '=', hash)
            .where('segment', '=', from)
            .execute()
        }
      })
      for (const { hash } of moved) recent.drop(hash)
    },

    async placeAnew(healed: readonly { hash: BlobHash; to: PackedPlace | null }[]): Promise<void> {
      await recent.settle()
      await db.transaction().execute(async (trx) => {
        for (const { hash, to } of healed)
          await trx
            .updateTable('blobs')
            .set(to ?? { segment: null, start: null })
            .where('hash', '=', hash)
            .execute()
      })
      for (const { hash } of healed) recent.drop(hash)
    },

    async lastSegment(): Promise<number> {
      await recent.settle()
      const { last } = await db
        .selectFrom('blobs')
        .where('segment', 'is not', null)
        .select(({ fn }) => fn.max('segment').as('last'))
        .executeTakeFirstOrThrow()
      return last ?? 0
    },

    async settledUpTo(): Promise<PackedPlace | null> {
      const row = await db.selectFrom('settled_packs').select(['segment', 'start']).executeTakeFirst()
      return row ?? null
    },

    async recover(found: readonly Recovered[], upTo: PackedPlace): Promise<void> {
      // Tables restored from a backup may be older than the segments.
      const projects = await db.selectFrom('projects').select('id').execute()
      const ids = new Set<string>(projects.map(({ id }) => id))
      const blobs = found.flatMap(({ owner, at, blobs }) =>
        owner !== null && ids.has(owner)
          ? blobs.map((blob) => ({ ...blob, project: owner as ProjectId, usedAt: at.getTime() }))
          : [],
      )
      const write = db.transaction().execute(async (trx) => {
        await insertBlobs(trx, statements, blobs)
        // Tables older than the segments still have the former places of moved blobs, whose segments may be gone.
        for (const { owner, blobs: moved } of found) if (owner === null) await putWhereTheyAre(trx, moved)
        await settled(trx, upTo).execute()
      })
      await write.catch((error) => {
        if (!(error instanceof Fault) || error.code !== 'storage.full') throw error
        // The hub must start on a full disk: the blobs are kept in memory and written when there is room.
        const now = Date.now()
        for (const blob of blobs) recent.take({ ...blob, usedAt: now })
        return recent.writeSoon()
      })
    },

    settle: (): Promise<void> => recent.settle(),
  }
}
