import { blobsNamed } from '@farhand/protocol/events/blobs-named'
import { event } from '@farhand/protocol/events/event-names'
import type { NewRun, Run } from '@farhand/protocol/schemas/api'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Author, StoredEvent } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import { newId, type ProjectId, RunId, type TaskId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { EventLog } from '../log/event-log.ts'
import { linesOf } from '../log/lines-of.ts'
import { forgetFork, forksUnderWay, noteFork } from '../store/forks.ts'
import { type CreatingCall, isKeyUsed, once } from '../store/idempotency.ts'
import { renewBlobs } from '../store/project-blobs.ts'
import { createRun } from '../store/runs.ts'
import type { Tables } from '../store/tables.ts'
import { firstEvents } from './first-events.ts'
import type { OwnedRun } from './run-directory.ts'

type Parts = { db: Kysely<Tables>; log: EventLog }

export type ForkAsked = {
  at: { project: ProjectId; task: TaskId }
  from: OwnedRun
  body: NewRun & { fork: NonNullable<NewRun['fork']> }
  by: Author
  call: CreatingCall
}

/** Stamps the event that makes a copied log one of its own. Each has its own: the copy still knows the keys of the other run. */
const forkKey = (run: RunId) => `create/forked/${run}`

const underWay = new Map<string, Promise<unknown>>()

/**
 * Makes a run whose log begins with that of another one (W39). The log is whole before anybody can know of the run: a
 * hub that dies on the way leaves a log that no run has, which the next one removes, and whoever asks again with the
 * same key gets one run.
 */
export async function forkRun(parts: Parts, asked: ForkAsked): Promise<Run> {
  const { user, key } = asked.call
  if (key === undefined) return fork(parts, asked)
  const name = `${user} ${key}`
  // A caller that lost its patience asks again while the first copy is on its way: a second one would be nobody's.
  while (underWay.has(name)) await underWay.get(name)?.catch(() => {})
  const forking = fork(parts, asked)
  underWay.set(name, forking)
  return forking.finally(() => underWay.delete(name))
}

async function fork({ db, log }: Parts, { at, from, body, by, call }: ForkAsked): Promise<Run> {
  const { event } = body.fork
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
      return createRun(trx, at, { ...inherited, ...body }, new Date(), id)
    })
  } catch (error) {
    // A hub that stops, or whose disk is full, may not even do this; the next one will.
    await removeHalfForks({ db, log }, id).catch(() => {})
    throw error
  }
}

/** Removes what a hub that died in the middle of a fork has left: a log that no run has, or half of one. */
export async function removeHalfForks({ db, log }: Parts, only?: RunId): Promise<void> {
  // As the store says: one that answers with an error may have made the run all the same.
  for (const run of await forksUnderWay(db)) {
    if (only !== undefined && run !== only) continue
    // Tables from a backup that was made during the fork do not know the run that became of it.
    if (only === undefined && (await hasLived(log, run))) continue
    await log.remove(run)
    await forgetFork(db, run)
  }
}

/** Whether more has been written to the log of a fork than making it writes: then people and runners have worked there. */
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

/** In which mode the run is then. */
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

/** A sweep that read the logs before this one was there must find that its blobs are in use (W25). */
async function useBlobsAgain({ db, log }: Parts, from: OwnedRun, upTo: number): Promise<void> {
  const named = new Set<BlobHash>()
  for await (const line of linesOf(log, from.id, { upTo })) {
    if (!line.includes('"sha256_')) continue
    for (const hash of blobsNamed((JSON.parse(line) as StoredEvent).notification)) named.add(hash)
  }
  await renewBlobs(db, from.project, [...named], new Date())
}
