import { within } from '@farhand/kit/within'
import type { ListedRun, Run } from '@farhand/protocol/schemas/api'
import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb'
import type { PendingAction } from '../outbox/outbox.ts'

/** Consecutive events of a run as JSON text: fast to read, and its size is known. */
type PortionRow = { run: string; from: number; to: number; text: string }
type RunRow = { run: string; lastId: number; bytes: number; usedAt: number; about: Run | null }
type ListRow = { name: string; runs: ListedRun[]; asOf: number }
/** A pending action, with the field names that browsers already have on disk. */
export type StoredAction = Omit<PendingAction, 'action'> & { deed: PendingAction['action'] }

interface Tables extends DBSchema {
  portions: { key: [string, number]; value: PortionRow }
  runs: { key: string; value: RunRow }
  deeds: { key: number; value: StoredAction; indexes: { run: string; key: string } }
  lists: { key: string; value: ListRow }
}

export type Database = IDBPDatabase<Tables>

/** Raise this when the tables change. An upgrade may drop caches, but no unsent actions. */
const version = 1

/** After this time the page goes on without a database: another page may be suspended and keep the database locked. */
const openTimeoutMs = 3000

const nameFor = (hubUrl: string, user: string) => `farhand ${new URL(hubUrl).pathname} ${user}`

/** The database of one user of one hub in this browser. Null where storage is forbidden. */
export async function openDatabase(
  hubUrl: string,
  user: string,
  waitMs = openTimeoutMs,
): Promise<Database | null> {
  try {
    const opening = openDB<Tables>(nameFor(hubUrl, user), version, {
      upgrade(db) {
        db.createObjectStore('portions', { keyPath: ['run', 'from'] })
        db.createObjectStore('runs', { keyPath: 'run' })
        const deeds = db.createObjectStore('deeds', { autoIncrement: true })
        deeds.createIndex('run', 'at.run')
        deeds.createIndex('key', 'key', { unique: true })
        db.createObjectStore('lists', { keyPath: 'name' })
      },
      // A page of a newer version waits until this one closes the database.
      blocking: (_, __, event) => (event.target as IDBDatabase).close(),
    })
    const opened = await within(waitMs, opening)
    if (opened !== 'late') return opened
    opening.then(
      (db) => db.close(),
      () => {},
    )
    return null
  } catch {
    // A private window, or a full disk: the page works without storage.
    return null
  }
}

/** Deletes what the hub can send again, and keeps unsent actions. */
export async function forgetCaches(hubUrl: string, user: string): Promise<void> {
  const db = await openDatabase(hubUrl, user)
  await Promise.all((['portions', 'runs', 'lists'] as const).map((name) => db?.clear(name))).catch(() => {})
  db?.close()
}

/** Deletes all data of a user, with unsent actions. */
export const forgetDatabase = (hubUrl: string, user: string) =>
  deleteDB(nameFor(hubUrl, user)).catch(() => {})
