import type { BlobHash } from '@farhand/protocol/blob-hash'
import type { StoredEvent } from '@farhand/protocol/event'
import type { RunId } from '@farhand/protocol/ids'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { BlobStore } from './blobs/blob-store.ts'
import { neededByLog } from './blobs/needed-by-log.ts'
import { removeOrphans } from './blobs/orphans.ts'
import { type SweepParts, sweep } from './blobs/sweep.ts'
import type { Needs } from './blobs/unreferenced.ts'
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
import type { Tables } from './store/tables.ts'

type Parts = { db: Kysely<Tables>; log: EventLog; blobs: BlobStore; logger: Logger }

const firstAfterMs = 10 * 60 * 1000
const everyMs = 6 * 60 * 60 * 1000
const keysKeptMs = 30 * 24 * 60 * 60 * 1000

/** Removes blobs (W25) and keys (W9) whose time is over: a while after the start, and again every few hours. */
export function startSweeping(parts: Parts): { stop(): Promise<void> } {
  const stopping = new AbortController()
  let sweeping: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      sweeping = sweepOnce(parts, new Date(), stopping.signal).finally(() => wait(everyMs))
    }, ms).unref()
  }
  wait(firstAfterMs)
  return {
    async stop() {
      stopping.abort()
      await sweeping
      clearTimeout(timer)
    },
  }
}

/** One sweep; what goes wrong is logged and tried again at the next. */
export async function sweepOnce(parts: Parts, now: Date, signal?: AbortSignal): Promise<void> {
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
    if (removed > 0) logger.info({ removed }, 'removed blobs that nobody needed for 30 days')
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
  try {
    if (!signal?.aborted) await forgetKeys(db, new Date(now.getTime() - keysKeptMs), signal)
  } catch (err) {
    logger.error({ err }, 'forgetting old idempotency keys failed')
  }
}

const hexDigits = '0123456789abcdef'

/** Looks at one part in sixteen, each time at another, so that no sweep has to list everything. */
async function sweepOrphans({ db, blobs }: Parts, now: Date, signal?: AbortSignal): Promise<number> {
  const first = hexDigits.charAt(Math.floor(now.getTime() / everyMs) % hexDigits.length)
  const orphanParts = { blobs, unknown: (hashes: readonly BlobHash[]) => unknownBlobs(db, hashes) }
  let removed = 0
  for (const second of hexDigits) {
    if (signal?.aborted) break
    removed += await removeOrphans(orphanParts, `${first}${second}`, now, signal)
  }
  return removed
}

async function* eventsOf(log: EventLog, run: RunId, signal?: AbortSignal): AsyncGenerator<StoredEvent> {
  // An error, not an end: half a log would look as if it needed only half of its blobs.
  for await (const line of linesOf(log, run, { signal })) yield JSON.parse(line) as StoredEvent
}
