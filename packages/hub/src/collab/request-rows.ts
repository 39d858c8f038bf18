import type { DeviceRequest, RequestState, RequestStep } from '@farhand/protocol/schemas/requests'
import { RequestStep as Step } from '@farhand/protocol/schemas/requests'
import { malformed } from '@farhand/protocol/wire/faults'
import {
  DeviceId,
  type ProjectId,
  type RequestId,
  type RunId,
  type TaskId,
  type UserId,
} from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Page, Paged } from '../store/page.ts'
import type { Db, Tables } from '../store/tables.ts'
import { mayFollow } from './request-states.ts'

export type RequestRow = Selectable<Tables['acp_requests']>
export type AddressedRow = RequestRow & { project_id: ProjectId; task_id: TaskId }

type NewRow = Omit<Insertable<Tables['acp_requests']>, 'states'> & { reason: string }

/** Inserts a request with its first state; false if its answer has offered one before. */
export async function insertRequest(db: Db, { reason, ...row }: NewRow): Promise<boolean> {
  const first: RequestStep = { state: row.state, at: row.created_at, reason }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('acp_requests')
    .values({ ...row, states: JSON.stringify([first]) })
    .onConflict((conflict) => conflict.column('part_of').doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows ?? 0) > 0
}

const addressed = (db: Db) =>
  db
    .selectFrom('acp_requests')
    .innerJoin('runs', 'runs.id', 'acp_requests.run_id')
    .innerJoin('tasks', 'tasks.id', 'runs.task_id')
    .selectAll('acp_requests')
    .select(['runs.task_id', 'tasks.project_id'])

export async function findRequest(db: Db, id: RequestId): Promise<AddressedRow | null> {
  return (await addressed(db).where('acp_requests.id', '=', id).executeTakeFirst()) ?? null
}

/** The requests of a user, newest first. */
export async function listRequests(db: Db, user: UserId, page: Page): Promise<Paged<DeviceRequest>> {
  const after = page.cursor === undefined ? null : placeOf(page.cursor)
  const rows = await addressed(db)
    .where('acp_requests.user_id', '=', user)
    .$if(after !== null, (query) =>
      query.where(({ eb, and, or }) =>
        or([
          eb('acp_requests.created_at', '<', after!.at),
          and([
            eb('acp_requests.created_at', '=', after!.at),
            eb('acp_requests.id', '<', after!.id as RequestId),
          ]),
        ]),
      ),
    )
    .orderBy('acp_requests.created_at', 'desc')
    .orderBy('acp_requests.id', 'desc')
    // One more than is shown says whether there is a next page.
    .limit(page.limit + 1)
    .execute()
  const shown = rows.slice(0, page.limit)
  const last = rows.length > shown.length ? shown.at(-1) : undefined
  const next = last ? Buffer.from(`${last.created_at} ${last.id}`).toString('base64url') : null
  return { items: shown.map(asRequest), next }
}

function placeOf(cursor: string): { at: string; id: string } {
  const [, at, id] =
    /^([\w:.-]{1,40}) (req_\w{1,80})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (at === undefined || id === undefined)
    throw malformed('cursor', 'expected the "next" of an earlier page')
  return { at, id }
}

type Changes = Partial<
  Pick<
    RequestRow,
    'device_id' | 'decided' | 'message_event' | 'run_id' | 'notice' | 'expires_at' | 'owes_withdrawal'
  >
>

/**
 * Changes the state of a request from the state in which it was read; false if another writer has changed it since. This is the only
 * way in which a state changes.
 */
export async function changeState(
  db: Db,
  row: RequestRow,
  to: RequestState,
  reason: string,
  changes: Changes = {},
  now = new Date(),
): Promise<boolean> {
  if (!mayFollow(row.state, to)) return false
  const step: RequestStep = { state: to, at: now.toISOString(), reason }
  const { numUpdatedRows } = await db
    .updateTable('acp_requests')
    .set({ ...changes, state: to, states: JSON.stringify([...stepsOf(row), step]) })
    .where('id', '=', row.id)
    .where('state', '=', row.state)
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

/** All requests in one of these states, the oldest first. */
export async function requestsIn(db: Db, states: readonly RequestState[]): Promise<AddressedRow[]> {
  return await addressed(db)
    .where('acp_requests.state', 'in', [...states])
    .orderBy('acp_requests.created_at')
    .orderBy('acp_requests.id')
    .execute()
}

/** The next ones that a connected device is to get, the oldest first: what it has not confirmed, and what waits for it. */
export async function requestsForDevice(
  db: Db,
  user: UserId,
  device: DeviceId,
  { except, limit }: { except: readonly RequestId[]; limit: number },
): Promise<AddressedRow[]> {
  return await addressed(db)
    .where('acp_requests.user_id', '=', user)
    .$if(except.length > 0, (query) => query.where('acp_requests.id', 'not in', [...except]))
    .where(({ eb, and, or }) =>
      or([
        and([eb('acp_requests.state', '=', 'sent'), eb('acp_requests.device_id', '=', device)]),
        and([
          eb('acp_requests.state', '=', 'queued'),
          or([eb('acp_requests.device_id', '=', device), eb('acp_requests.device_id', 'is', null)]),
          sql<boolean>`instr(acp_requests.origin_devices, ${JSON.stringify(device)}) = 0`,
        ]),
      ]),
    )
    .orderBy('acp_requests.created_at')
    .orderBy('acp_requests.id')
    .limit(limit)
    .execute()
}

/** How many requests of this user, or of this conversation, have not ended. */
export async function countOpen(db: Db, user: UserId, run: RunId | null): Promise<number> {
  const { open } = await db
    .selectFrom('acp_requests')
    .select(({ fn }) => fn.countAll<number | string>().as('open'))
    .where('user_id', '=', user)
    .where('state', 'in', ['routed', 'queued', 'sent', 'working'])
    .$if(run !== null, (query) => query.where('run_id', '=', run!))
    .executeTakeFirstOrThrow()
  return Number(open)
}

/** The requests that only a device could do that is revoked meanwhile. */
export async function requestsOfRevoked(db: Db): Promise<RequestRow[]> {
  return await db
    .selectFrom('acp_requests')
    .innerJoin('acp_devices', 'acp_devices.id', 'acp_requests.device_id')
    .selectAll('acp_requests')
    .where('acp_requests.state', 'in', ['queued', 'sent', 'working'])
    .where('acp_devices.is_active', '=', 0)
    .execute()
}

/** The canceled and expired requests whose messages are still to be taken back from the logs. */
export async function requestsOwing(db: Db): Promise<RequestRow[]> {
  return await db.selectFrom('acp_requests').selectAll().where('owes_withdrawal', '=', 1).execute()
}

export async function noteWithdrawn(db: Db, id: RequestId): Promise<void> {
  await db.updateTable('acp_requests').set({ owes_withdrawal: 0 }).where('id', '=', id).execute()
}

/** The requests that have waited too long. */
export async function requestsOverdue(db: Db, now: Date): Promise<RequestRow[]> {
  return await db
    .selectFrom('acp_requests')
    .selectAll()
    .where('state', 'in', ['offered', 'queued', 'sent'])
    .where('expires_at', '<=', now.toISOString())
    .execute()
}

/** The newest request of a run. */
export async function requestOfRun(db: Db, run: RunId): Promise<RequestRow | null> {
  const query = db
    .selectFrom('acp_requests')
    .selectAll()
    .where('run_id', '=', run)
    .where('state', '!=', 'offered')
  return (await query.orderBy('created_at', 'desc').executeTakeFirst()) ?? null
}

/** What the answer to this request has offered; null: nothing. */
export async function offeredBy(db: Db, id: RequestId): Promise<string | null> {
  const query = db.selectFrom('acp_requests').select('message').where('part_of', '=', id)
  return (await query.executeTakeFirst())?.message ?? null
}

/** When each device of a user last got a request. */
export async function devicesUsed(db: Db, user: UserId): Promise<Map<DeviceId, string>> {
  const rows = await db
    .selectFrom('acp_requests')
    .select(({ fn }) => ['device_id', fn.max('created_at').as('at')])
    .where('user_id', '=', user)
    .where('device_id', 'is not', null)
    .where('state', 'in', ['sent', 'working', 'done', 'failed'])
    .groupBy('device_id')
    .execute()
  return new Map(rows.map(({ device_id, at }) => [device_id!, at]))
}

export const addressOfRow = (row: AddressedRow): RunAddress => ({
  project: row.project_id,
  task: row.task_id,
  run: row.run_id,
})

/** The devices that a request came from, and to which it never goes. */
export const originsOf = (row: Pick<RequestRow, 'origin_devices'>): DeviceId[] =>
  DeviceId.array().parse(JSON.parse(row.origin_devices))

const stepsOf = (row: RequestRow): RequestStep[] => Step.array().parse(JSON.parse(row.states))

/** A request as the API shows it. */
export const asRequest = (row: AddressedRow): DeviceRequest => ({
  id: row.id,
  user_id: row.user_id,
  ...addressOfRow(row),
  message: row.message,
  channel: row.channel,
  state: row.state,
  decided: row.decided,
  device: row.device_id,
  origin_device: originsOf(row)[0] ?? null,
  needs_device: row.needs_device === 1,
  part_of: row.part_of,
  notice: row.notice,
  created_at: row.created_at,
  expires_at: row.expires_at,
  states: stepsOf(row),
})
