import type { RunSeen } from '@farhand/protocol/schemas/api'
import type { ProjectId, RunId, UserId } from '@farhand/protocol/wire/ids'
import type { Db } from '../tables.ts'

/** The run, and the user who started it. */
type Known = { id: RunId; owner: UserId }
type Preferences = {
  is_archived?: 0 | 1
  is_muted?: 0 | 1
  seen_event?: number
  seen_active_at?: string | null
}

/** Sets a run's title, for all who see it. */
export async function noteTitle(db: Db, run: RunId, title: string): Promise<void> {
  await db.updateTable('runs').set({ title }).where('id', '=', run).execute()
}

/** Sets whether a run is archived or muted for this user. */
export async function noteAboutRun(
  db: Db,
  run: Known,
  user: UserId,
  said: { is_archived?: 0 | 1; is_muted?: 0 | 1 },
): Promise<void> {
  await put(db, run, user, said)
}

/** Records how far this user has read a run; false if they had read that far already. */
export async function noteSeen(
  db: Db,
  run: Known,
  user: UserId,
  { event, activeAt }: RunSeen,
): Promise<boolean> {
  const said = { seen_event: event, seen_active_at: activeAt }
  if (run.owner !== user) return put(db, run, user, said, event)
  const { numUpdatedRows } = await db
    .updateTable('runs')
    .where('id', '=', run.id)
    .set(said)
    .where(({ eb, or }) => or([eb('seen_event', 'is', null), eb('seen_event', '<', event)]))
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

/** The runs that a project has so far are no news for this user, who joins it. */
export async function noteAllSeen(db: Db, project: ProjectId, user: UserId, now: Date): Promise<void> {
  await db
    .insertInto('run_preferences')
    .columns(['run_id', 'user_id', 'seen_event', 'seen_active_at', 'is_archived', 'is_muted'])
    .expression((eb) =>
      eb
        .selectFrom('runs')
        .innerJoin('tasks', 'tasks.id', 'runs.task_id')
        .select(['runs.id', eb.val(user).as('user_id'), eb.lit(0).as('seen_event')])
        .select([eb.val(now.toISOString()).as('at'), eb.lit(0).as('is_archived'), eb.lit(0).as('is_muted')])
        .where('tasks.project_id', '=', project),
    )
    .onConflict((conflict) => conflict.columns(['run_id', 'user_id']).doNothing())
    .execute()
}

/** With `after`, only if the user had not read that far yet. */
async function put(db: Db, run: Known, user: UserId, said: Preferences, after?: number): Promise<boolean> {
  if (run.owner === user) {
    await db.updateTable('runs').set(said).where('id', '=', run.id).execute()
    return true
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('run_preferences')
    .values({
      ...{
        run_id: run.id,
        user_id: user,
        is_archived: 0,
        is_muted: 0,
        seen_event: null,
        seen_active_at: null,
      },
      ...said,
    })
    .onConflict((conflict) => {
      const update = conflict.columns(['run_id', 'user_id']).doUpdateSet(said)
      if (after === undefined) return update
      return update.where(({ eb, or }) =>
        or([eb('run_preferences.seen_event', 'is', null), eb('run_preferences.seen_event', '<', after)]),
      )
    })
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows ?? 0) > 0
}
