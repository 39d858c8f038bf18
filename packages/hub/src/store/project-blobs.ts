import type { BlobHash } from '@farhand/protocol/blob-hash'
import type { ProjectId } from '@farhand/protocol/ids'
import type { Kysely } from 'kysely'
import { gather } from './gather.ts'
import type { PackedPlace } from './packed-places.ts'
import { portions } from './portions.ts'
import { anHourBefore, type Tables } from './tables.ts'

/** Which of these a project has. Another project's blobs are never among them (W24). */
export async function knownBlobs(
  db: Kysely<Tables>,
  project: ProjectId,
  hashes: readonly BlobHash[],
): Promise<Set<BlobHash>> {
  const known = new Set<BlobHash>()
  for await (const some of portions(hashes)) {
    const rows = await db
      .selectFrom('blobs')
      .select('hash')
      .where('project_id', '=', project)
      .where('hash', 'in', some)
      .execute()
    for (const row of rows) known.add(row.hash)
  }
  return known
}

export type NewBlob = { hash: BlobHash; size: number; place?: PackedPlace | null }
type OwnedBlob = NewBlob & { project: ProjectId; now: Date }

const gatherers = new WeakMap<Kysely<Tables>, (blobs: OwnedBlob[]) => Promise<void>>()

/**
 * Notes that a project has a blob, used just now. Only for bytes that are durable. Uploads that end together share
 * one commit: each would have to wait for the disk.
 */
export async function rememberBlob(
  db: Kysely<Tables>,
  project: ProjectId,
  hash: BlobHash,
  size: number,
  now: Date,
): Promise<void> {
  return rememberBlobs(db, project, [{ hash, size }], now)
}

/** As `rememberBlob`, for many, with the places of those that were packed. A place once noted is not changed by it. */
export async function rememberBlobs(
  db: Kysely<Tables>,
  project: ProjectId,
  blobs: readonly NewBlob[],
  now: Date,
): Promise<void> {
  const owned = blobs.map((blob) => ({ ...blob, project, now }))
  if (db.isTransaction) return insertBlobs(db, owned)
  const remember = gatherers.get(db) ?? gather<OwnedBlob[]>((all) => insertBlobs(db, all.flat()))
  gatherers.set(db, remember)
  return remember(owned)
}

async function insertBlobs(db: Kysely<Tables>, blobs: readonly OwnedBlob[]): Promise<void> {
  // PostgreSQL refuses to touch one row twice in a statement.
  const rows = new Map<string, Tables['blobs']>()
  for (const { project, hash, size, place, now } of blobs) {
    const { segment, start } = place ?? { segment: null, start: null }
    const row = {
      project_id: project,
      hash,
      size,
      used_at: now.toISOString(),
      kept: 0,
      segment,
      start,
    } as const
    rows.set(`${project} ${hash}`, row)
  }
  for await (const some of portions([...rows.values()])) {
    if (db.isTransaction || some.length <= rowsPerInsert) await insertRows(db, some)
    else await db.transaction().execute((trx) => insertRows(trx, some))
  }
}

// Long statements take long to prepare. Of this length they are all alike, and are prepared once.
const rowsPerInsert = 100

async function insertRows(db: Kysely<Tables>, rows: readonly Tables['blobs'][]): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    await db
      .insertInto('blobs')
      .values(rows.slice(at, at + rowsPerInsert))
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'hash'])
          .doUpdateSet(({ ref }) => ({ used_at: ref('excluded.used_at') }))
          .whereRef('blobs.used_at', '<', 'excluded.used_at'),
      )
      .execute()
  }
}

/** Notes that blobs were asked for (W25). Those used within the hour are not written again. */
export async function renewBlobs(
  db: Kysely<Tables>,
  project: ProjectId,
  hashes: readonly BlobHash[],
  now: Date,
): Promise<void> {
  for await (const some of portions(hashes)) {
    await db
      .updateTable('blobs')
      .set({ used_at: now.toISOString() })
      .where('project_id', '=', project)
      .where('hash', 'in', some)
      .where('used_at', '<', anHourBefore(now))
      .execute()
  }
}

/** Keeps blobs for good: git bundles (W25). */
export async function keepBlobs(
  db: Kysely<Tables>,
  project: ProjectId,
  hashes: readonly BlobHash[],
): Promise<void> {
  for await (const some of portions(hashes)) {
    await db
      .updateTable('blobs')
      .set({ kept: 1 })
      .where('project_id', '=', project)
      .where('hash', 'in', some)
      .where('kept', '=', 0)
      .execute()
  }
}

/**
 * Renews the blobs an event is about to name and returns those the project does not have. If it returns none, a
 * sweep leaves all of them alone for as long as an append can take: renewed and checked are one step.
 */
export async function nameBlobs(
  db: Kysely<Tables>,
  project: ProjectId,
  hashes: readonly BlobHash[],
  now: Date,
): Promise<BlobHash[]> {
  if (hashes.length === 0) return []
  return db.transaction().execute(async (trx) => {
    await renewBlobs(trx, project, hashes, now)
    const known = await knownBlobs(trx, project, hashes)
    return [...new Set(hashes)].filter((hash) => !known.has(hash))
  })
}

export type BlobRow = { hash: BlobHash; usedAt: Date; kept: boolean }

/** The projects that have blobs not used since `before` and not kept for good. */
export async function projectsWithUnusedBlobs(db: Kysely<Tables>, before: Date): Promise<ProjectId[]> {
  const rows = await db
    .selectFrom('blobs')
    .select('project_id')
    .distinct()
    .where('kept', '=', 0)
    .where('used_at', '<', before.toISOString())
    .orderBy('project_id')
    .execute()
  return rows.map((row) => row.project_id)
}

/** The blobs of a project not used since `before` and not kept for good, in order of their names, after `after`. */
export async function blobsToConsider(
  db: Kysely<Tables>,
  project: ProjectId,
  before: Date,
  page: { after: BlobHash | null; limit: number },
): Promise<BlobRow[]> {
  const rows = await db
    .selectFrom('blobs')
    .select(['hash', 'used_at', 'kept'])
    .where('project_id', '=', project)
    .where('kept', '=', 0)
    .where('used_at', '<', before.toISOString())
    .$if(page.after !== null, (query) => query.where('hash', '>', page.after!))
    .orderBy('hash')
    .limit(page.limit)
    .execute()
  return rows.map((row) => ({ hash: row.hash, usedAt: new Date(row.used_at), kept: row.kept === 1 }))
}

/** Takes a blob from a project, unless it was used or kept for good since somebody decided that it may go. */
export async function forgetBlob(
  db: Kysely<Tables>,
  project: ProjectId,
  hash: BlobHash,
  usedBefore: Date,
): Promise<'forgotten' | 'renewed'> {
  const gone = await db
    .deleteFrom('blobs')
    .where('project_id', '=', project)
    .where('hash', '=', hash)
    .where('used_at', '<', usedBefore.toISOString())
    .where('kept', '=', 0)
    .returning('hash')
    .executeTakeFirst()
  return gone ? 'forgotten' : 'renewed'
}

/** Whether any project has this blob: if not, its bytes may go. */
export async function isBlobKnownAnywhere(db: Kysely<Tables>, hash: BlobHash): Promise<boolean> {
  const row = await db.selectFrom('blobs').select('hash').where('hash', '=', hash).limit(1).executeTakeFirst()
  return row !== undefined
}

/** Those of them that no project has. */
export async function unknownBlobs(db: Kysely<Tables>, hashes: readonly BlobHash[]): Promise<BlobHash[]> {
  const unknown = new Set(hashes)
  for await (const some of portions(hashes)) {
    const rows = await db.selectFrom('blobs').select('hash').distinct().where('hash', 'in', some).execute()
    for (const row of rows) unknown.delete(row.hash)
  }
  return [...unknown]
}
