import type { Kysely } from 'kysely'

/** How far its user has read a run, on whatever device. What was there before this is no news. */
export async function up(
  db: Kysely<{ runs: { seen_event: number; seen_active_at: string } }>,
): Promise<void> {
  await db.schema.alterTable('runs').addColumn('seen_event', 'integer').execute()
  await db.schema.alterTable('runs').addColumn('seen_active_at', 'text').execute()
  await db.updateTable('runs').set({ seen_event: 0, seen_active_at: new Date().toISOString() }).execute()
}
