import { sleep } from '@farhand/kit/sleep'
import type { ListedRun, Run } from '@farhand/protocol/schemas/api'
import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb'
import type { PendingAction } from '../outbox/outbox.ts'

/** Events of a run that follow each other, as JSON: quick to read, and its size is known. */
type PortionRow = { run: string; from: number; to: number; text: string }
type RunRow = { run: string; lastId: number; bytes: number; usedAt: number; about: Run | null }
type ListRow = { name: string; runs: ListedRun[]; asOf: number }
/** A pending action under the names that browsers already have on disk. */
export type StoredAction = Omit<PendingAction, 'action'> & { deed: PendingAction['action'] }

interface Tables extends DBSchema {
  portions: { key: [string, number]; value: PortionRow }
  runs: { key: string; value: RunRow }
  deeds: { key: number; value: StoredAction; indexes: { run: string; key: string } }
  lists: { key: string; value: ListRow }
}

export type Database = IDBPDatabase<Tables>

/** Raised with every change of what is in the tables: what was there is forgotten then, except for what was not sent. */
const version = 1

/** Who is held up for longer goes on without: another page may sleep so deeply that it does not let go. */
const patientMs = 3000

const nameFor = (hubUrl: string, user: string) => `farhand ${new URL(hubUrl).pathname} ${user}`

/**
 * What this browser keeps for one user of one hub; whoever else signs in here has another one. Null where a page may
 * keep nothing.
 */
export async function openDatabase(
  hubUrl: string,
  user: string,
  waitMs = patientMs,
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
      // A newer page waits for this one to let go.
      blocking: (_, __, event) => (event.target as IDBDatabase).close(),
    })
    const ended = new AbortController()
    const late = sleep(waitMs, { signal: ended.signal }).then(() => null)
    late.catch(() => {})
    const opened = await Promise.race([opening, late])
    ended.abort()
    if (opened === null)
      opening.then(
        (db) => db.close(),
        () => {},
      )
    return opened
  } catch {
    // A private window, or a disk that is full: the page works without, and only forgets more.
    return null
  }
}

/** Forgets what the hub can tell again, and keeps what was not sent. */
export async function forgetCaches(hubUrl: string, user: string): Promise<void> {
  const db = await openDatabase(hubUrl, user)
  await Promise.all((['portions', 'runs', 'lists'] as const).map((name) => db?.clear(name))).catch(() => {})
  db?.close()
}

/** Leaves nothing of a user in this browser, also nothing that was not sent. */
export const forgetDatabase = (hubUrl: string, user: string) =>
  deleteDB(nameFor(hubUrl, user)).catch(() => {})
