import type { Migration } from 'kysely'
import * as firstTables from './migrations/0001-first-tables.ts'

/** Every migration, in order of its name. One that was ever released is never changed again: write the next one. */
export const migrations: Record<string, Migration> = {
  '0001-first-tables': firstTables,
}
