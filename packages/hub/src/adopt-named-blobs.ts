import { blobsNamed, bundlesNamed } from '@farhand/protocol/events/blobs-named'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import type { ProjectId, RunId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { BlobStore } from './blobs/blob-store.ts'
import type { EventLog } from './log/event-log.ts'
import { linesOf } from './log/lines-of.ts'
import { packedPlaces } from './store/packed-places.ts'
import { keepBlobs, knownBlobs, type NewBlob, rememberBlobs, unknownBlobs } from './store/project-blobs.ts'
import { allRunsWithProjects } from './store/runs.ts'
import type { Tables } from './store/tables.ts'

type Parts = {
  db: Kysely<Tables>
  log: EventLog
  blobs: BlobStore
  logger: { info(about: object, message: string): void; error(about: object, message: string): void }
}

const hexDigits = '0123456789abcdef'
const folders = [...hexDigits].flatMap((first) => [...hexDigits].map((second) => `${first}${second}`))

/**
 * Looks whether tables that were put back from a backup miss contents that came later, and gives them back to their projects.
 * As long as every file on the disk is known, which is what most hubs find, no log is read.
 */
export async function adoptIfTablesAreOlder(parts: Parts, now: Date, signal?: AbortSignal): Promise<void> {
  try {
    for (const digits of folders) {
      if (signal?.aborted) return
      if ((await unknownBlobs(parts.db, await parts.blobs.list(digits))).length === 0) continue
      await adoptNamedBlobs(parts, now, signal)
      return
    }
  } catch (err) {
    if (!signal?.aborted)
      parts.logger.error({ err }, 'contents that the tables do not know could not be looked for')
  }
}

/**
 * Notes of each project all contents that its logs name, that are here, and that the tables do not know to be of this project. An
 * event is stored only if its project has what it names (W24), so the log is as good as the row that is gone. Throws if a log
 * cannot be read: whoever wants to remove what is unknown must not do so then.
 */
export async function adoptNamedBlobs(parts: Parts, now: Date, signal?: AbortSignal): Promise<number> {
  let adopted = 0
  for (const { run, project } of await allRunsWithProjects(parts.db)) {
    const { named, bundles } = await namedIn(parts.log, run, signal)
    adopted += await adopt(parts, project, named, now)
    if (bundles.size > 0) await keepBlobs(parts.db, project, [...bundles])
  }
  if (adopted > 0)
    parts.logger.info(
      { adopted },
      'the tables did not know contents that logs name; they came from a backup, and know them again',
    )
  return adopted
}

async function adopt(
  { db, blobs }: Parts,
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
