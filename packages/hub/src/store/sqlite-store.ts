import { Kysely } from 'kysely'
import { migrate } from './migrate.ts'
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
