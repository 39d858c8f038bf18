import { closeSync, openSync } from 'node:fs'
import { Fault } from '@farhand/protocol/wire/faults'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
  sql,
  type Transaction,
} from 'kysely'
import Database from 'libsql'

/** The database dialect with everything specific to SQLite. */
export function sqliteDialect(file: string): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => new Driver({ database: async () => open(file) }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/**
 * A transaction that does not wait for the disk. A power loss may undo it and later ones that did not wait either. A later transaction
 * that waits makes it durable too.
 */
export function unhurried<Tables>(
  db: Kysely<Tables>,
  act: (trx: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  return db.connection().execute(async (connection) => {
    await sql`pragma synchronous = normal`.execute(connection)
    try {
      await connection.transaction().execute(act)
    } finally {
      await sql`pragma synchronous = full`.execute(connection)
    }
  })
}

class Adapter extends SqliteAdapter {
  // SQLite can roll back DDL, although kysely's adapter says no: a migration killed half-way must leave nothing.
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class Driver extends SqliteDriver {
  // A deferred transaction that reads first and then writes fails at once if another process wrote in between;
  // an immediate one waits for its turn.
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  // A full disk ends the transaction by itself; the error that none is active would hide the cause.
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection)
    } catch (error) {
      if (!/no transaction is active/.test(String(error))) throw error
    }
  }
}

function open(file: string): SqliteDatabase {
  createPrivate(file)
  const database = connect(file)
  // In WAL mode the usual NORMAL may lose the last commits when the power goes.
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  // In KiB. Names of blobs are random: with the default 2 MB most of their pages would be read again for each commit.
  database.pragma('cache_size = -16000')
  // In pages, four times the default: many blobs change the same pages, so each page is copied less often.
  database.pragma('wal_autocheckpoint = 4000')

  const prepared = new Map<string, SqliteStatement>()
  const prepare = (sql: string): SqliteStatement => {
    const statement = database.prepare(sql)
    const use = <Result>(act: () => Result): Result => {
      try {
        return act()
      } catch (error) {
        // A failed statement may still hold a read lock.
        prepared.delete(sql)
        throw saidWhy(error)
      }
    }
    return {
      reader: statement.reader,
      all: (parameters) => use(() => statement.all(checked(parameters))),
      run: (parameters) => use(() => statement.run(checked(parameters))),
      iterate: (parameters) => statement.iterate(checked(parameters)),
    }
  }

  return {
    prepare(sql) {
      const statement = prepared.get(sql) ?? prepare(sql)
      if (!isWorthKeeping(sql)) return statement
      // Keeps the map in order of last use.
      prepared.delete(sql)
      prepared.set(sql, statement)
      if (prepared.size > mostPrepared) prepared.delete(prepared.keys().next().value!)
      return statement
    },
    close() {
      prepared.clear()
      try {
        // libsql lets go of the file only when its statements are collected: fold the WAL in while we can.
        database.pragma('wal_checkpoint(TRUNCATE)')
      } catch {
        // Optional: the next process that opens the file does it.
      }
      database.close()
    },
  }
}

function connect(file: string): Database.Database {
  const database = new Database(file, { timeout: 10_000 })
  try {
    database.pragma('journal_mode = WAL')
    // SQLite opens all its files only at the first query.
    database.prepare('select count(*) from sqlite_schema').all()
    return database
  } catch (error) {
    database.close()
    const { code = '' } = error as { code?: string }
    if (code !== 'SQLITE_FULL' && code !== 'SQLITE_IOERR_SHMSIZE') throw error
    return connectAlone(file)
  }
}

/**
 * On a full disk SQLite cannot create the file through which processes share the WAL. A process in exclusive mode does not need it: it
 * can read everything, and write when there is room again. Other processes have to wait until it ends.
 */
function connectAlone(file: string): Database.Database {
  const database = new Database(file, { timeout: 10_000 })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('journal_mode = WAL')
    database.prepare('select count(*) from sqlite_schema').all()
    return database
  } catch (error) {
    database.close()
    throw saidWhy(error)
  }
}

const mostPrepared = 200

// Preparing a statement takes longer than running it. Very long ones have a varying number of parameters and would not be reused.
const isWorthKeeping = (sql: string) =>
  sql.length < 4000 && /^(select|insert|update|delete|begin|commit)\b/.test(sql)

function saidWhy(error: unknown): unknown {
  if ((error as { code?: string }).code !== 'SQLITE_FULL') return error
  return new Fault('storage.full', 'the hub has no room left; nothing was changed', { cause: error })
}

// Only if the file does not exist: opening and closing a file that SQLite has open drops SQLite's locks on it.
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

// libsql aborts the whole process on a boolean, cuts text at a NUL and replaces half a surrogate pair.
function checked(parameters: readonly unknown[]): unknown[] {
  for (const value of parameters) {
    if (typeof value === 'boolean') throw new TypeError('a boolean cannot be stored: use 0 or 1')
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw new Fault(
        'request.malformed',
        'text with a NUL character or half a surrogate pair cannot be stored',
      )
    }
  }
  return parameters as unknown[]
}
