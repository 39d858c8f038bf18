import type { BlobHash } from '@farhand/protocol/blob-hash'
import type { Kysely } from 'kysely'
import { portions } from './portions.ts'
import type { Tables } from './tables.ts'

export type PackedPlace = { segment: number; start: number }
type Found = { size: number; place: PackedPlace | null }

/** Where the packed blobs of all projects lie. A place is written together with the row that says who has the blob. */
export function packedPlaces(db: Kysely<Tables>) {
  return {
    async find(hashes: readonly BlobHash[]): Promise<Map<BlobHash, Found>> {
      const found = new Map<BlobHash, Found>()
      for await (const some of portions(hashes)) {
        const rows = await db
          .selectFrom('blobs')
          .select(['hash', 'size', 'segment', 'start'])
          .where('hash', 'in', some)
          .execute()
        for (const { hash, size, segment, start } of rows) {
          const place = segment === null ? null : { segment, start: start! }
          if (place || !found.has(hash)) found.set(hash, { size, place })
        }
      }
      return found
    },

    async usedBytes(segment: number): Promise<number> {
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
    },

    async lastSegment(): Promise<number> {
      const { last } = await db
        .selectFrom('blobs')
        .where('segment', 'is not', null)
        .select(({ fn }) => fn.max('segment').as('last'))
        .executeTakeFirstOrThrow()
      return last ?? 0
    },
  }
}
