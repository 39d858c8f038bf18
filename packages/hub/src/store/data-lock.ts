import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'

/**
 * Locks the data folder for this process. The lock belongs to the operating system (an exclusive SQLite transaction that stays open),
 * so it ends with the process however that ends.
 */
export function lockData(dir: string): { release(): void } | 'taken' {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, 'lock.sqlite')
  // When a folder around this one is synced, both file names mark it as a hub's data folder, so they are created first.
  for (const first of [join(dir, 'store.sqlite'), file]) closeSync(openSync(first, 'a', 0o600))
  const database = new Database(file)
  try {
    // A journal file cannot be created on a full disk, but the hub must be able to start there too.
    database.exec('PRAGMA journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
    chmodSync(file, 0o600)
  } catch (error) {
    database.close()
    const { code = '', message } = error as Error & { code?: string }
    if (code === 'SQLITE_BUSY') return 'taken'
    // Not SQLite's own message: the operator would take it for damage of the store and restore a backup.
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
