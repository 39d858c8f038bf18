import type { Occurrence } from '@farhand/protocol/schemas/schedules'
import { newId, OccurrenceId, type RunId, type ScheduleId, type UserId } from '@farhand/protocol/wire/ids'
import type { ExpressionBuilder, Selectable } from 'kysely'
import { latestOccurrences, type Page, type Paged, readPage } from '../page.ts'
import type { Db, Tables } from '../tables.ts'
import { type StoredSchedule, textOf } from './schedules.ts'

/** The times of a new line of the ledger, in milliseconds since 1970. */
type Line = {
  dueAt: number
  firstDueAt: number
  standsFor: number
  state: 'due' | 'missed'
  reason: string | null
}

/** A finished line is kept until its schedule has this many newer ones. */
const linesKept = 1000

/**
 * Writes lines for all due times up to now and the due time after them, in one step: nothing is written if another hub has done so,
 * or if the schedule was changed meanwhile. A due time that the ledger has already is not written again.
 */
export async function writeLines(
  db: Db,
  { id, nextDueAt }: StoredSchedule,
  lines: readonly Line[],
  next: number | null,
  now: Date,
): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    const last = lines.at(-1)
    const { numUpdatedRows } = await trx
      .updateTable('schedules')
      .set({ next_due_at: textOf(next), ...(last && { last_due_at: textOf(last.dueAt) }) })
      .where('id', '=', id)
      .where('next_due_at', '=', textOf(nextDueAt))
      .where('paused', 'is', null)
      .where('removed_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    for (const line of lines) await insertLine(trx, id, line, 'time', now)
    await trim(trx, id)
    return true
  })
}

/** Makes a schedule due now because its user wants it; null if too many of its occurrences wait. */
export async function addDueNow(
  db: Db,
  schedule: ScheduleId,
  mostWaiting: number,
  now: Date,
): Promise<Occurrence | null> {
  const { waiting } = await db
    .selectFrom('occurrences')
    .select(({ fn }) => fn.countAll().as('waiting'))
    .where('schedule_id', '=', schedule)
    .where('state', 'in', ['due', 'claimed'])
    .executeTakeFirstOrThrow()
  if (Number(waiting) >= mostWaiting) return null
  await trim(db, schedule)
  for (let at = now.getTime(); ; at += 1) {
    const line: Line = { dueAt: at, firstDueAt: at, standsFor: 1, state: 'due', reason: null }
    const made = await insertLine(db, schedule, line, 'user', now)
    if (made) return made
  }
}

async function insertLine(
  db: Db,
  schedule: ScheduleId,
  { dueAt, firstDueAt, standsFor, state, reason }: Line,
  by: 'time' | 'user',
  now: Date,
): Promise<Occurrence | null> {
  const isMissed = state === 'missed'
  const row = await db
    .insertInto('occurrences')
    .values({
      ...{ id: newId(OccurrenceId, 'occ'), schedule_id: schedule, by, state, reason },
      ...{ due_at: textOf(dueAt)!, first_due_at: textOf(firstDueAt)!, stands_for: standsFor },
      has_begun: 0,
      ...(isMissed && { ended_at: now.toISOString(), alarm: 'missed' as const }),
    })
    .onConflict((conflict) => conflict.columns(['schedule_id', 'due_at']).doNothing())
    .returningAll()
    .executeTakeFirst()
  return row ? occurrence(row) : null
}

/** The ledger of a schedule, newest first. */
export async function listOccurrences(db: Db, schedule: ScheduleId, page: Page): Promise<Paged<Occurrence>> {
  const query = db.selectFrom('occurrences').selectAll().where('schedule_id', '=', schedule)
  return readPage(query, latestOccurrences, page, occurrence)
}

/** All that wait to be started, the earliest due first; claimed ones whose hub has not started them since `lease` included. */
export async function waitingOccurrences(db: Db, lease: Lease): Promise<(Occurrence & { owner: UserId })[]> {
  const rows = await db
    .selectFrom('occurrences')
    .selectAll()
    .select(({ selectFrom }) =>
      selectFrom('schedules')
        .select('owner_id')
        .whereRef('schedules.id', '=', 'occurrences.schedule_id')
        .as('owner_id'),
    )
    .where(isFree(lease))
    .orderBy('due_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...occurrence(row), owner: row.owner_id! }))
}

/** A claim that was not made between these two times has no holder any more: the later one is for clocks that were set back. */
export type Lease = { from: Date; to: Date }

const isFree =
  ({ from, to }: Lease) =>
  (eb: ExpressionBuilder<Tables, 'occurrences'>) =>
    eb.or([
      eb('state', '=', 'due'),
      eb.and([
        eb('state', '=', 'claimed'),
        eb.or([eb('claimed_at', '<', from.toISOString()), eb('claimed_at', '>', to.toISOString())]),
      ]),
    ])

/** When the oldest claim that has no run yet was made. */
export async function earliestClaim(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('occurrences')
    .select(({ fn }) => fn.min('claimed_at').as('at'))
    .where('state', '=', 'claimed')
    .executeTakeFirst()
  return row?.at ? Date.parse(row.at) : null
}

/** How many occurrences of a schedule, other than this one, have a run at work or are being started. */
export async function countWorking(db: Db, { schedule, id }: Occurrence): Promise<number> {
  const { count } = await db
    .selectFrom('occurrences')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('schedule_id', '=', schedule)
    .where('id', '!=', id)
    .where('state', 'in', ['claimed', 'started'])
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Claims an occurrence under a name that is never used again. False if another hub holds it, or if more than `working` others work. */
export async function claim(
  db: Db,
  of: Occurrence,
  { name, working, lease }: { name: string; working: number; lease: Lease },
  now: Date,
): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('occurrences')
      .set({ state: 'claimed', claimed_by: name, claimed_at: now.toISOString() })
      .where('id', '=', of.id)
      .where(isFree(lease))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    if ((await countWorking(trx, of)) <= working) return true
    await trx
      .updateTable('occurrences')
      .set({ state: 'due', claimed_by: null, claimed_at: null })
      .where('id', '=', of.id)
      .execute()
    return false
  })
}

/** Ends a claim without a run: the occurrence waits again. */
export async function giveBack(db: Db, { id }: Occurrence, name: string): Promise<void> {
  await db
    .updateTable('occurrences')
    .set({ state: 'due', claimed_by: null, claimed_at: null })
    .where('id', '=', id)
    .where('state', '=', 'claimed')
    .where('claimed_by', '=', name)
    .execute()
}

/** Records the run of a claimed occurrence; false if the claim has ended. Must be in one transaction with making the run. */
export async function noteStarted(
  trx: Db,
  of: Occurrence,
  name: string,
  { run, title }: { run: RunId; title: string },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('occurrences')
    .set({ state: 'started', run_id: run, started_at: now.toISOString() })
    .where('id', '=', of.id)
    .where('state', '=', 'claimed')
    .where('claimed_by', '=', name)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await trx.updateTable('runs').set({ schedule_id: of.schedule, title }).where('id', '=', run).execute()
  await trx
    .updateTable('schedules')
    .set(({ eb }) => ({ runs: eb('runs', '+', 1) }))
    .where('id', '=', of.schedule)
    .execute()
  await trx
    .updateTable('schedules')
    .set({ next_due_at: null })
    .where('id', '=', of.schedule)
    .whereRef('runs', '>=', 'max_runs')
    .execute()
  return true
}

/** The first events of its run are in the log. */
export async function noteBegun(db: Db, id: OccurrenceId): Promise<void> {
  await db.updateTable('occurrences').set({ has_begun: 1 }).where('id', '=', id).execute()
}

/** Occurrences whose runs are at work. */
export async function startedOccurrences(
  db: Db,
): Promise<(Occurrence & { run: RunId; hasBegun: boolean })[]> {
  const rows = await db.selectFrom('occurrences').selectAll().where('state', '=', 'started').execute()
  return rows.map((row) => ({ ...occurrence(row), run: row.run_id!, hasBegun: row.has_begun === 1 }))
}

type Ending = {
  state: 'finished' | 'failed' | 'missed' | 'skipped'
  reason: string | null
  /** Only while it is in this state, and claimed by this name if one is given. */
  from: 'due' | 'claimed' | 'started'
  name?: string
}

/**
 * Ends an occurrence once, and counts failures in a row: after too many its schedule is paused. The owner is notified of what was
 * missed, of what failed without a run, and of the pause; a run's failure is notified as every run's. False if it has ended already.
 */
export async function endOccurrence(db: Db, of: Occurrence, ending: Ending, now: Date): Promise<boolean> {
  const { state, reason, from, name } = ending
  return await db.transaction().execute(async (trx) => {
    const hasNoRun = state === 'missed' || (state === 'failed' && from !== 'started')
    const { numUpdatedRows } = await trx
      .updateTable('occurrences')
      .set({ state, reason, ended_at: now.toISOString(), ...(hasNoRun && { alarm: 'missed' as const }) })
      .where('id', '=', of.id)
      .where('state', '=', from)
      .$if(name !== undefined, (query) => query.where('claimed_by', '=', name!))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    const ofSchedule = trx.updateTable('schedules').where('id', '=', of.schedule)
    if (state === 'finished') await ofSchedule.set({ failures: 0 }).execute()
    if (state !== 'failed') return true
    await ofSchedule.set(({ eb }) => ({ failures: eb('failures', '+', 1) })).execute()
    const paused = await ofSchedule
      .set({ paused: 'failures' })
      .whereRef('failures', '>=', 'pause_after')
      .where('paused', 'is', null)
      .where('removed_at', 'is', null)
      .executeTakeFirst()
    if (paused.numUpdatedRows > 0n)
      await trx.updateTable('occurrences').set({ alarm: 'paused' }).where('id', '=', of.id).execute()
    return true
  })
}

/** Deletes the oldest ended lines of a long ledger. */
async function trim(db: Db, schedule: ScheduleId): Promise<void> {
  const ended = db
    .selectFrom('occurrences')
    .where('schedule_id', '=', schedule)
    .where('state', 'in', ['finished', 'failed', 'missed', 'skipped'])
  const oldest = await ended
    .select('due_at')
    .orderBy('due_at', 'desc')
    .limit(1)
    .offset(linesKept)
    .executeTakeFirst()
  if (!oldest) return
  await db
    .deleteFrom('occurrences')
    .where('schedule_id', '=', schedule)
    .where('state', 'in', ['finished', 'failed', 'missed', 'skipped'])
    .where('due_at', '<=', oldest.due_at)
    .execute()
}

export function occurrence(row: Selectable<Tables['occurrences']>): Occurrence {
  return {
    id: row.id,
    schedule: row.schedule_id,
    dueAt: row.due_at,
    firstDueAt: row.first_due_at,
    standsFor: row.stands_for,
    by: row.by,
    state: row.state,
    reason: row.reason,
    claimedAt: row.claimed_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    run: row.run_id,
  }
}
