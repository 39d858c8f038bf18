import { blobsNamed, bundlesNamed } from '@farhand/protocol/events/blobs-named'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import type { ProjectId, RunId } from '@farhand/protocol/wire/ids'
import type { BlobStore } from './blobs/blob-store.ts'
import type { EventLog } from './log/event-log.ts'
import { linesOf } from './log/lines-of.ts'
import { packedPlaces } from './store/packed-places.ts'
import { keepBlobs, knownBlobs, type NewBlob, rememberBlobs, unknownBlobs } from './store/project-blobs.ts'
import { allRunsWithProjects } from './store/runs.ts'
import type { Db } from './store/tables.ts'

export type AdoptParts = {
  db: Db
  log: EventLog
  blobs: BlobStore
  logger: { info(about: object, message: string): void; error(about: object, message: string): void }
}

const hexDigits = '0123456789abcdef'
const folders = [...hexDigits].flatMap((first) => [...hexDigits].map((second) => `${first}${second}`))

/**
 * Finds blobs that tables restored from a backup do not know, and assigns them to their projects again.
 * If the tables know every file on the disk, as is usual, no log is read.
 */
export async function adoptIfTablesAreOlder(
  parts: AdoptParts,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  try {
    for (const digits of folders) {
      if (signal?.aborted) return
      if ((await unknownBlobs(parts.db, await parts.blobs.list(digits))).length === 0) continue
      await adoptNamedBlobs(parts, now, signal)
      return
    }
  } catch (err) {
    if (!signal?.aborted) parts.logger.error({ err }, 'could not look for blobs that the tables do not know')
  }
}

/**
 * Adds to the tables every stored blob that a project's logs name and the tables do not list for it. An event is stored only if
 * its project has the blobs it names (W24), so the log proves ownership as well as the lost row did. Throws if a log cannot be
 * read: the caller must not remove unknown blobs then.
 */
export async function adoptNamedBlobs(parts: AdoptParts, now: Date, signal?: AbortSignal): Promise<number> {
  let adopted = 0
  for (const { run, project } of await allRunsWithProjects(parts.db)) {
    const { named, bundles } = await namedIn(parts.log, run, signal)
    adopted += await adopt(parts, project, named, now)
    if (bundles.size > 0) await keepBlobs(parts.db, project, [...bundles])
  }
  if (adopted > 0)
    parts.logger.info({ adopted }, 'added blobs to the tables that logs name: the tables came from a backup')
  return adopted
}

async function adopt(
  { db, blobs }: AdoptParts,
  project: ProjectId,
  named: ReadonlySet<BlobHash>,
  now: Date,
): Promise<number> {
  const known = await knownBlobs(db, project, [...named])
  const unknown = [...named].filter((hash) => !known.has(hash))
  const places = await packedPlaces(db).find(unknown)
  const found: NewBlob[] = []
  for (const hash of unknown) {
    const size = await blobs.size(hash)
    if (size !== null) found.push({ hash, size, place: places.get(hash)?.place ?? null })
  }
  if (found.length > 0) await rememberBlobs(db, project, found, now)
  return found.length
}

async function namedIn(log: EventLog, run: RunId, signal: AbortSignal | undefined) {
  const [named, bundles] = [new Set<BlobHash>(), new Set<BlobHash>()]
  for await (const line of linesOf(log, run, { signal })) {
    if (!line.includes('"sha256_')) continue
    const { notification } = JSON.parse(line) as StoredEvent
    for (const hash of blobsNamed(notification)) named.add(hash)
    for (const hash of bundlesNamed(notification)) bundles.add(hash)
  }
  return { named, bundles }
}
