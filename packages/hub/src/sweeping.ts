import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import type { RunId } from '@farhand/protocol/wire/ids'
import { type AdoptParts, adoptIfTablesAreOlder, adoptNamedBlobs } from './adopt-named-blobs.ts'
import { neededByLog } from './blobs/sweep/needed-by-log.ts'
import { removeOrphans } from './blobs/sweep/orphans.ts'
import { type SweepParts, sweep } from './blobs/sweep/sweep.ts'
import type { Needs } from './blobs/sweep/unreferenced.ts'
import type { EventLog } from './log/event-log.ts'
import { linesOf } from './log/lines-of.ts'
import { forgetKeys } from './store/idempotency.ts'
import {
  blobsToConsider,
  forgetBlob,
  isBlobKnownAnywhere,
  projectsWithUnusedBlobs,
  unknownBlobs,
} from './store/project-blobs.ts'
import { runsOfProject } from './store/runs.ts'
import { forgetEmptySetupCaches } from './store/setup-caches.ts'

type Parts = AdoptParts & {
  /** The logs of runs that the tables do not know; see `unknownLogs`. */
  unknownLogs: () => Promise<RunId[]>
}

const firstAfterMs = 10 * 60 * 1000
const everyMs = 6 * 60 * 60 * 1000
const trashEveryMs = 5 * 60 * 1000
const keysKeptMs = 30 * 24 * 60 * 60 * 1000

/** Removes expired blobs (W25) and idempotency keys (W9): a while after the start, and then every few hours. */
export function startSweeping(parts: Parts): { stop(): Promise<void> } {
  const stopping = new AbortController()
  let sweeping: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      sweeping = sweepOnce(parts, new Date(), stopping.signal).finally(() => wait(everyMs))
    }, ms).unref()
  }
  // The start does not wait for this, but the first sweep does.
  sweeping = adoptIfTablesAreOlder(parts, new Date(), stopping.signal).finally(() => wait(firstAfterMs))
  // Often: blobs set aside for later deletion must not fill the disk.
  const emptying = setInterval(() => void emptyTrash(parts, new Date()), trashEveryMs).unref()
  return {
    async stop() {
      stopping.abort()
      // `sweeping` sets the next timer when it ends, so the timer is cleared after it.
      await sweeping
      clearTimeout(timer)
      clearInterval(emptying)
    },
  }
}

/** One sweep. Errors are logged, and the next sweep tries again. */
export async function sweepOnce(parts: Parts, now: Date, signal?: AbortSignal): Promise<void> {
  const { db, logger } = parts
  await emptyTrash(parts, now)
  if (await maySweepBlobs(parts)) await sweepBlobs(parts, now, signal)
  try {
    if (!signal?.aborted) await forgetKeys(db, new Date(now.getTime() - keysKeptMs), signal)
  } catch (err) {
    logger.error({ err }, 'forgetting old idempotency keys failed')
  }
}

/** Nothing is removed while there are logs of runs that the tables do not know: those runs may need the blobs. */
async function maySweepBlobs({ unknownLogs, logger }: Parts): Promise<boolean> {
  try {
    const unknown = await unknownLogs()
    if (unknown.length === 0) return true
    logger.error(
      { logs: unknown.length, for: unknown.slice(0, 10) },
      'no contents are removed: there are logs of runs that store.sqlite does not know. If it came from a backup, put back a newer ' +
        'one; `farhand doctor --data <folder>` names these logs',
    )
  } catch (err) {
    logger.error({ err }, 'no contents are removed: the logs could not be listed')
  }
  return false
}

async function emptyTrash({ blobs, logger }: Parts, now: Date): Promise<void> {
  try {
    await blobs.emptyTrash(now)
  } catch (err) {
    logger.error({ err }, 'could not delete blobs that were set aside')
  }
}

async function sweepBlobs(parts: Parts, now: Date, signal?: AbortSignal): Promise<void> {
  const { db, log, blobs, logger } = parts
  const sweepParts: SweepParts = {
    blobs,
    projects: (before) => projectsWithUnusedBlobs(db, before),
    unused: (project, before, page) => blobsToConsider(db, project, before, page),
    needs: async (project) => {
      const needs: Needs[] = []
      for (const run of await runsOfProject(db, project)) {
        needs.push(await neededByLog(eventsOf(log, run, signal)))
      }
      return needs
    },
    forget: (project, hash, before) => forgetBlob(db, project, hash, before),
    isKnownAnywhere: (hash) => isBlobKnownAnywhere(db, hash),
    onError: (err, project) => {
      if (!signal?.aborted) logger.error({ err, project }, 'the blobs of a project could not be swept')
    },
  }
  try {
    const { removed } = await sweep(sweepParts, now, signal)
    if (removed > 0) logger.info({ removed }, 'removed blobs that no run needed for 30 days')
    await forgetEmptySetupCaches(db, new Date(now.getTime() - keysKeptMs))
  } catch (err) {
    logger.error({ err }, 'sweeping blobs failed')
  }
  try {
    const removed = await sweepOrphans(parts, now, signal)
    if (removed > 0) logger.info({ removed }, 'removed bytes that no project has')
  } catch (err) {
    logger.error({ err }, 'looking for bytes that no project has failed')
  }
  try {
    const { removed } = await blobs.tidy(signal)
    if (removed > 0) logger.info({ removed }, 'removed segments that were mostly empty')
  } catch (err) {
    logger.error({ err }, 'tidying up packed blobs failed')
  }
}

/** A killed hub leaves a few orphans. If more than one blob in four is unknown, the tables are wrong instead. */
const fewOrphans = 20
const mostOrphans = 4
const hexDigits = '0123456789abcdef'

/** Checks a sixteenth of all blobs, a different one each time, so that no sweep has to list everything. */
async function sweepOrphans(parts: Parts, now: Date, signal?: AbortSignal): Promise<number> {
  const { db, blobs, logger } = parts
  const first = hexDigits.charAt(Math.floor(now.getTime() / everyMs) % hexDigits.length)
  const orphanParts = { blobs, unknown: (hashes: readonly BlobHash[]) => unknownBlobs(db, hashes) }
  let [seen, unknown] = [0, 0]
  for (const second of hexDigits) {
    const all = await blobs.list(`${first}${second}`)
    seen += all.length
    unknown += (await orphanParts.unknown(all)).length
  }
  if (unknown > fewOrphans && unknown * mostOrphans > seen) {
    logger.error(
      { seen, unknown },
      'no bytes are removed: too many of them are unknown to store.sqlite. If it came from a backup, put back a newer one',
    )
    return 0
  }
  if (unknown === 0) return 0
  // Tables restored from a backup may not know blobs that a log has named since.
  await adoptNamedBlobs(parts, now, signal)
  let removed = 0
  for (const second of hexDigits) {
    if (signal?.aborted) break
    removed += await removeOrphans(orphanParts, `${first}${second}`, now, signal)
  }
  return removed
}

async function* eventsOf(log: EventLog, run: RunId, signal?: AbortSignal): AsyncGenerator<StoredEvent> {
  // A read error must throw, not end the loop: half a log would seem to need only half of its blobs.
  for await (const line of linesOf(log, run, { signal })) yield JSON.parse(line) as StoredEvent
}
