import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'

/**
 * Takes the data folder for this process. The lock is the operating system's (an exclusive SQLite transaction
 * that stays open), so it ends with the process however that ends.
 */
export function lockData(dir: string): { release(): void } | 'taken' {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, 'lock.sqlite')
  // By both names a sync of the folder around knows that this is nobody else's: they are there before anything else is.
  for (const first of [join(dir, 'store.sqlite'), file]) closeSync(openSync(first, 'a', 0o600))
  const database = new Database(file)
  try {
    // Its journal would be a file, which a full disk refuses: a hub has to be found, and stopped, and started there, too.
    database.exec('PRAGMA journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
    chmodSync(file, 0o600)
  } catch (error) {
    database.close()
    const { code = '', message } = error as Error & { code?: string }
    if (code === 'SQLITE_BUSY') return 'taken'
    // Not the words of SQLite: they would be taken for those about the store, which nobody has to put back for this.
    if (/NOTADB|CORRUPT/.test(code) || /not a database|malformed/.test(message))
      throw new Error(
        'The file "lock.sqlite" in the data folder is damaged. Nothing is kept in it: delete it while no hub runs on this folder, then start the hub again.',
      )
    throw error
  }
  return {
    release() {
      // Closing alone would hold the lock until the last statement is collected.
      database.exec('ROLLBACK')
      database.close()
    },
  }
}
