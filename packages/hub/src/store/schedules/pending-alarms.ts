import type { Occurrence } from '@farhand/protocol/schemas/schedules'
import type { OccurrenceId, UserId } from '@farhand/protocol/wire/ids'
import type { Db } from '../tables.ts'
import { occurrence } from './occurrences.ts'

/** An alarm of which the owner was notified, and the callback perhaps not. */
export type PushedAlarm = Occurrence & { owner: UserId; isPaused: boolean }

/** What owners have to be notified of by Web Push, the earliest first. */
export async function alarmsToSend(
  db: Db,
  most = 100,
): Promise<(Occurrence & { alarm: 'missed' | 'paused' })[]> {
  const rows = await db
    .selectFrom('occurrences')
    .selectAll()
    .where('alarm', 'in', ['missed', 'paused'])
    .orderBy('ended_at')
    .limit(most)
    .execute()
  return rows.map((row) => ({ ...occurrence(row), alarm: row.alarm === 'paused' ? 'paused' : 'missed' }))
}

/** Must be called right after the push: what it is called for is not pushed again. */
export async function notePushed(db: Db, id: OccurrenceId, alarm: 'missed' | 'paused'): Promise<void> {
  await db
    .updateTable('occurrences')
    .set({ alarm: `${alarm}-pushed` as const })
    .where('id', '=', id)
    .execute()
}

/** Pushed alarms whose callbacks may be called now: besides those under way at most so many of an owner, the earliest first. */
export async function callbacksToCall(
  db: Db,
  underWay: ReadonlyMap<OccurrenceId, UserId>,
  mostPerOwner: number,
): Promise<PushedAlarm[]> {
  const counts = new Map<UserId, number>()
  for (const owner of underWay.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  const busy = [...counts].flatMap(([owner, count]) => (count >= mostPerOwner ? owner : []))
  const ids = [...underWay.keys()]
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom('occurrences')
        .innerJoin('schedules', 'schedules.id', 'occurrences.schedule_id')
        .selectAll('occurrences')
        .select('schedules.owner_id')
        .select(({ fn }) =>
          fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('schedules.owner_id').orderBy('occurrences.ended_at'))
            .as('nth'),
        )
        .where('occurrences.alarm', 'in', ['missed-pushed', 'paused-pushed'])
        .$if(ids.length > 0, (query) => query.where('occurrences.id', 'not in', ids))
        .$if(busy.length > 0, (query) => query.where('schedules.owner_id', 'not in', busy))
        .as('pushed'),
    )
    .selectAll()
    .where('nth', '<=', mostPerOwner)
    .orderBy('nth')
    .orderBy('ended_at')
    .limit(100)
    .execute()
  return rows
    .filter(({ nth, owner_id }) => Number(nth) + (counts.get(owner_id) ?? 0) <= mostPerOwner)
    .map((row) => ({
      ...occurrence(row),
      owner: row.owner_id,
      isPaused: row.alarm === 'paused-pushed',
    }))
}

export async function noteAlarmSent(db: Db, id: OccurrenceId): Promise<void> {
  await db.updateTable('occurrences').set({ alarm: null }).where('id', '=', id).execute()
}
