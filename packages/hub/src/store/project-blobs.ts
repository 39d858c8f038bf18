import type { BlobHash } from '@farhand/protocol/blob-hash'
import type { ProjectId } from '@farhand/protocol/ids'
import type { Kysely } from 'kysely'
import { anHourBefore, type Tables } from './tables.ts'

// SQLite takes 32,766 parameters a statement and PostgreSQL 65,535.
const hashesPerQuery = 1000

/** Which of these a project has. Another project's blobs are never among them (W24). */
export async function knownBlobs(
  db: Kysely<Tables>,
  project: ProjectId,
  hashes: readonly BlobHash[],
): Promise<Set<BlobHash>> {
  const known = new Set<BlobHash>()
  for (const some of portions(hashes)) {
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

/** Notes that a project has a blob, used just now. Only for bytes that are durable. */
export async function rememberBlob(
  db: Kysely<Tables>,
  project: ProjectId,
  hash: BlobHash,
  size: number,
  now: Date,
): Promise<void> {
  await db
    .insertInto('blobs')
    .values({ project_id: project, hash, size, used_at: now.toISOString(), kept: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'hash'])
        .doUpdateSet({ used_at: now.toISOString() })
        .where('blobs.used_at', '<', anHourBefore(now)),
    )
    .execute()
}

/** Notes that blobs were asked for (W25). Those used within the hour are not written again. */
export async function renewBlobs(
  db: Kysely<Tables>,
  project: ProjectId,
  hashes: readonly BlobHash[],
  now: Date,
): Promise<void> {
  for (const some of portions(hashes)) {
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
  for (const some of portions(hashes)) {
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

export type BlobRow = { project: ProjectId; hash: BlobHash; usedAt: Date; kept: boolean }

/** Blobs not used since `before` and not kept for good, the longest unused first. */
export async function blobsToConsider(db: Kysely<Tables>, before: Date, limit: number): Promise<BlobRow[]> {
  const rows = await db
    .selectFrom('blobs')
    .select(['project_id', 'hash', 'used_at', 'kept'])
    .where('kept', '=', 0)
    .where('used_at', '<', before.toISOString())
    .orderBy('used_at')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    project: row.project_id,
    hash: row.hash,
    usedAt: new Date(row.used_at),
    kept: row.kept === 1,
  }))
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

function* portions(hashes: readonly BlobHash[]): Generator<BlobHash[]> {
  for (let at = 0; at < hashes.length; at += hashesPerQuery) yield hashes.slice(at, at + hashesPerQuery)
}
