import { Fault } from '@farhand/protocol/wire/faults'
import { type Kysely, type Migration, Migrator, sql } from 'kysely'

/** Brings the tables up to date, or says that they belong to a newer Farhand. Two processes may do it at once. */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  migrations: Record<string, Migration>,
  beforeFirst?: () => Promise<void>,
): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const done = await doneBefore(db)
  if (done.length === 0) await beforeFirst?.()
  const unknown = done.filter((name) => !(name in migrations))
  if (unknown.length > 0) throw newerData(unknown)

  const { error } = await migrator.migrateToLatest()
  if (error instanceof Fault) throw error
  if (error) throw new Error('The database could not be brought up to date.', { cause: error })
}

async function doneBefore<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map((row) => row.name)
}

function newerData(names: string[]): Error {
  return new Error(
    `This data was written by a newer Farhand (it has ${names.join(', ')}). ` +
      'Upgrade Farhand, or start with another data folder.',
  )
}
