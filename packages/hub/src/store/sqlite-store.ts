import { Fault } from '@farhand/protocol/wire/faults'
import { Kysely, type Migration, Migrator, sql } from 'kysely'
import { migrations } from './migrations.ts'
import { recentBlobs } from './recent-blobs.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

export type Store = { db: Kysely<Tables>; close(): Promise<void> }

/**
 * Opens the tables in a file, creating or upgrading them; other processes may have the same file open. `beforeFirst` is called before
 * tables are created in an empty file, and may throw.
 */
export async function openSqliteStore(file: string, beforeFirst?: () => Promise<void>): Promise<Store> {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(file) })
  try {
    await migrate(db, migrations, beforeFirst)
  } catch (error) {
    await db.destroy()
    throw error
  }
  const close = async () => {
    await recentBlobs(db).stop()
    await db.destroy()
  }
  return { db, close }
}

/** Brings the tables up to date; throws if a newer Farhand has written them. Two processes may do it at once. */
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
