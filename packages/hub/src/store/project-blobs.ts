import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { inBatches } from './in-batches.ts'
import { insertBlobs } from './insert-blobs.ts'
import type { PackedPlace } from './packed-places.ts'
import { recentBlobs } from './recent-blobs.ts'
import { padded, portions, type Statements } from './statements.ts'
import { anHourBefore, type Db } from './tables.ts'

/** Which of these blobs the project has. Blobs of other projects are never included (W24). */
export async function knownBlobs(
  db: Db,
  project: ProjectId,
  hashes: readonly BlobHash[],
): Promise<Set<BlobHash>> {
  const recent = recentBlobs(db)
  const known = new Set<BlobHash>()
  const others: BlobHash[] = []
  for (const hash of hashes) {
    if (recent.find(hash)?.project === project) known.add(hash)
    else others.push(hash)
  }
  if (others.length > 0) await addKnown(db, recent.statements, project, others, known)
  return known
}

async function addKnown(
  db: Db,
  statements: Statements,
  project: ProjectId,
  hashes: readonly BlobHash[],
  known: Set<BlobHash>,
): Promise<void> {
  for await (const some of portions(hashes)) {
    const all = padded(some)
    const rows = await statements.run<{ hash: BlobHash }>(db, `known ${all.length}`, [project, ...all], () =>
      db.selectFrom('blobs').select('hash').where('project_id', '=', project).where('hash', 'in', all),
    )
    for (const row of rows) known.add(row.hash)
  }
}

export type NewBlob = {
  hash: BlobHash
  size: number
  place?: PackedPlace | null
  /** Its segment says which project has it, so its row may be written later. */
  isNoted?: true
}
type OwnedBlob = NewBlob & { project: ProjectId; usedAt: number }

const batchers = new WeakMap<Db, (blobs: OwnedBlob[]) => Promise<void>>()

/**
 * Records that a project has a blob, used just now. Its bytes must be durable. Uploads that end together share one commit, so that
 * each need not wait for the disk by itself.
 */
export async function rememberBlob(
  db: Db,
  project: ProjectId,
  hash: BlobHash,
  size: number,
  now: Date,
): Promise<void> {
  return rememberBlobs(db, project, [{ hash, size }], now)
}

/**
 * As `rememberBlob`, for many, with the places of packed blobs. It does not change a place that is known already. Blobs with
 * `isNoted` are known as soon as this returns its promise, without waiting for it.
 */
export function rememberBlobs(
  db: Db,
  project: ProjectId,
  blobs: readonly NewBlob[],
  now: Date,
): Promise<void> {
  const recent = recentBlobs(db)
  const usedAt = now.getTime()
  const others: OwnedBlob[] = []
  for (const blob of blobs) {
    const { hash, size, place, isNoted } = blob
    if (isNoted && place && recent.take({ project, hash, size, place, usedAt })) continue
    if (!recent.get(project, hash, usedAt)) others.push({ ...blob, project, usedAt })
  }
  if (others.length === 0) return recent.writeSoon()
  const remember =
    batchers.get(db) ?? inBatches<OwnedBlob[]>((all) => insertDurably(db, recent.statements, all.flat()))
  batchers.set(db, remember)
  return remember(others)
}

async function insertDurably(db: Db, statements: Statements, blobs: readonly OwnedBlob[]): Promise<void> {
  for await (const some of portions(blobs)) {
    if (some.length === 1) await insertBlobs(db, statements, some)
    else await db.transaction().execute((trx) => insertBlobs(trx, statements, some))
  }
}

/** Renews blobs that were used (W25). Those renewed within the last hour are not written again. */
export async function renewBlobs(
  db: Db,
  project: ProjectId,
  hashes: readonly BlobHash[],
  now: Date,
): Promise<void> {
  const recent = recentBlobs(db)
  const others = hashes.filter((hash) => !recent.get(project, hash, now.getTime()))
  if (others.length > 0) await renew(db, recent.statements, project, others, now)
}

async function renew(
  db: Db,
  statements: Statements,
  project: ProjectId,
  hashes: readonly BlobHash[],
  now: Date,
): Promise<void> {
  const [usedAt, before] = [now.toISOString(), anHourBefore(now)]
  for await (const some of portions(hashes)) {
    const all = padded(some)
    await statements.run(db, `renew ${all.length}`, [usedAt, project, ...all, before], () =>
      db
        .updateTable('blobs')
        .set({ used_at: usedAt })
        .where('project_id', '=', project)
        .where('hash', 'in', all)
        .where('used_at', '<', before),
    )
  }
}

/** Marks blobs to be kept for ever: git bundles (W25). */
export async function keepBlobs(db: Db, project: ProjectId, hashes: readonly BlobHash[]): Promise<void> {
  await recentBlobs(db).settle()
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
 * Renews the blobs that an event is about to name and returns those that the project does not have. If it returns none, no sweep
 * removes any of them during the append, as renewing and checking are one transaction.
 */
export async function nameBlobs(
  db: Db,
  project: ProjectId,
  hashes: readonly BlobHash[],
  now: Date,
): Promise<BlobHash[]> {
  const recent = recentBlobs(db)
  const others = new Set<BlobHash>()
  for (const hash of hashes) if (!recent.get(project, hash, now.getTime())) others.add(hash)
  if (others.size === 0) return []
  // A blob that needs renewal but whose row is not written yet would not be found below.
  for (const hash of others) if (recent.find(hash)?.project === project) await recent.settle()
  return db.transaction().execute(async (trx) => {
    const known = new Set<BlobHash>()
    await renew(trx, recent.statements, project, [...others], now)
    await addKnown(trx, recent.statements, project, [...others], known)
    return [...others].filter((hash) => !known.has(hash))
  })
}

export type BlobRow = { hash: BlobHash; usedAt: Date; kept: boolean }

/** The projects that have blobs not used since `before` and not marked to be kept. */
export async function projectsWithUnusedBlobs(db: Db, before: Date): Promise<ProjectId[]> {
  await recentBlobs(db).settle()
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

/** The blobs of a project not used since `before` and not marked to be kept, in order of their names, after `after`. */
export async function blobsToConsider(
  db: Db,
  project: ProjectId,
  before: Date,
  page: { after: BlobHash | null; limit: number },
): Promise<BlobRow[]> {
  await recentBlobs(db).settle()
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

/** Removes a blob's row from a project, unless the blob was used or marked to be kept since `usedBefore`. */
export async function forgetBlob(
  db: Db,
  project: ProjectId,
  hash: BlobHash,
  usedBefore: Date,
): Promise<'forgotten' | 'renewed'> {
  const recent = recentBlobs(db)
  await recent.settle()
  // First: the cache must not report a deleted blob.
  recent.drop(hash)
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

/** Whether any project has this blob; if not, its bytes may be removed. */
export async function isBlobKnownAnywhere(db: Db, hash: BlobHash): Promise<boolean> {
  if (recentBlobs(db).find(hash)) return true
  const row = await db.selectFrom('blobs').select('hash').where('hash', '=', hash).limit(1).executeTakeFirst()
  return row !== undefined
}

/** Those of these blobs that no project has. */
export async function unknownBlobs(db: Db, hashes: readonly BlobHash[]): Promise<BlobHash[]> {
  await recentBlobs(db).settle()
  const unknown = new Set(hashes)
  for await (const some of portions(hashes)) {
    const rows = await db.selectFrom('blobs').select('hash').distinct().where('hash', 'in', some).execute()
    for (const row of rows) unknown.delete(row.hash)
  }
  return [...unknown]
}
