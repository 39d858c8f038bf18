import { blobsNamed } from '@farhand/protocol/events/blobs-named'
import { event } from '@farhand/protocol/events/event-names'
import type { NewRun, Run } from '@farhand/protocol/schemas/api'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Author, StoredEvent } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import { newId, type ProjectId, RunId, type TaskId } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'
import { linesOf } from '../log/lines-of.ts'
import { forgetFork, forksUnderWay, noteFork } from '../store/forks.ts'
import { type CreatingCall, isKeyUsed, once } from '../store/idempotency.ts'
import { renewBlobs } from '../store/project-blobs.ts'
import { createRun } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'
import { firstEvents } from './first-events.ts'
import type { OwnedRun } from './run-directory.ts'

type Parts = { db: Db; log: EventLog }

export type ForkAsked = {
  at: { project: ProjectId; task: TaskId }
  from: OwnedRun
  body: NewRun & { fork: NonNullable<NewRun['fork']> }
  by: Author
  call: CreatingCall
}

/** The key of the `forked` event. It contains the new run's id, as the copied log still has the keys of the other run. */
const forkKey = (run: RunId) => `create/forked/${run}`

const underWay = new Map<string, Promise<unknown>>()

/**
 * Makes a run whose log begins with that of another one (W39). The log is complete before the run exists: if the hub is killed on the
 * way, it leaves a log without a run, which the next hub removes; a caller that repeats the request with the same key gets one run.
 */
export async function forkRun(parts: Parts, asked: ForkAsked): Promise<Run> {
  const { user, key } = asked.call
  if (key === undefined) return fork(parts, asked)
  const name = `${user} ${key}`
  // A caller that timed out may repeat the request during the first copy: wait for that, as a second copy would belong to no run.
  while (underWay.has(name)) await underWay.get(name)?.catch(() => {})
  const forking = fork(parts, asked)
  underWay.set(name, forking)
  return forking.finally(() => underWay.delete(name))
}

async function fork({ db, log }: Parts, { at, from, body, by, call }: ForkAsked): Promise<Run> {
  const { event } = body.fork
  const { user } = call
  if (await isKeyUsed(db, call)) return once(db, call, () => Promise.reject(new Error('the key was free')))
  const { lastId } = await log.head(from.id)
  if (event > lastId) {
    const message = `fork.event: the log of ${from.id} ends at event ${lastId}, before ${event}`
    throw new Fault('request.malformed', message, { field: 'fork.event', current: lastId })
  }
  await useBlobsAgain({ db, log }, from, event)
  const id = newId(RunId, 'run')
  await noteFork(db, id)
  try {
    const mode = await beginLog(log, id, from, body, by)
    const { agent, sandbox, terms } = from
    const inherited = { ...(agent && { agent }), ...(sandbox && { sandbox }), ...(terms && { terms }), mode }
    return await once(db, call, async (trx) => {
      await forgetFork(trx, id)
      return createRun(trx, at, { ...inherited, ...body }, new Date(), { id, owner: user })
    })
  } catch (error) {
    // On a full disk, or while the hub stops, this may fail too; the next hub does it.
    await removeHalfForks({ db, log }, id).catch(() => {})
    throw error
  }
}

/** Removes the log, or the part of one, that an interrupted fork left behind. */
export async function removeHalfForks({ db, log }: Parts, only?: RunId): Promise<void> {
  // Checked in the store: a transaction that failed with an error may have made the run all the same.
  for (const run of await forksUnderWay(db)) {
    if (only !== undefined && run !== only) continue
    // Tables from a backup made during the fork do not know the finished run.
    if (only === undefined && (await hasLived(log, run))) continue
    await log.remove(run)
    await forgetFork(db, run)
  }
}

/** Whether a fork's log has events beyond those of its creation: then the run was used. */
async function hasLived(log: EventLog, run: RunId): Promise<boolean> {
  let isWhole = false
  for await (const line of linesOf(log, run)) {
    const { key } = JSON.parse(line) as StoredEvent
    const isOfMaking = key?.body === run && key.key.startsWith('create/')
    if (isWhole && !isOfMaking) return true
    isWhole ||= isOfMaking && key.key === forkKey(run)
  }
  return false
}

/** Copies the log and adds the first own events; returns the run's mode. */
async function beginLog(
  log: EventLog,
  id: RunId,
  from: OwnedRun,
  body: ForkAsked['body'],
  by: Author,
): Promise<Run['mode']> {
  await log.copy(from.id, body.fork.event, id)
  const key = { key: forkKey(id), body: id }
  await log.append(id, () => ({ by: { kind: 'hub' }, notifications: [event('forked', body.fork)], key }))
  const { mode } = (await log.head(id)).view
  for (const batch of firstEvents({ id }, body, by, mode)) await log.append(id, () => batch)
  return mode
}

/** Renews the blobs that the fork names, for a sweep that has read the logs before this log existed (W25). */
async function useBlobsAgain({ db, log }: Parts, from: OwnedRun, upTo: number): Promise<void> {
  const named = new Set<BlobHash>()
  for await (const line of linesOf(log, from.id, { upTo })) {
    if (!line.includes('"sha256_')) continue
    for (const hash of blobsNamed((JSON.parse(line) as StoredEvent).notification)) named.add(hash)
  }
  await renewBlobs(db, from.project, [...named], new Date())
}
