import type { RunId } from '@farhand/protocol/wire/ids'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { Database } from './database.ts'
import { eventsAfter, type RunCache } from './run-cache.ts'
import { mostBytesOfRun, whatToForget } from './what-to-forget.ts'

/** The size of a portion: thousands of small portions are slow to read. */
const eventsPerPortion = 500

const ofRun = (run: string) => IDBKeyRange.bound([run, 0], [run, Number.MAX_SAFE_INTEGER])

/** A cache in IndexedDB. If the disk is full or the database is closed, it only forgets. */
export function indexedRunCache(db: Database, now = Date.now): RunCache {
  const forget = async (run: string) => {
    const change = db.transaction(['portions', 'runs'], 'readwrite')
    await Promise.all([
      change.objectStore('portions').delete(ofRun(run)),
      change.objectStore('runs').delete(run),
      change.done,
    ])
  }
  const makeRoom = async () => {
    for (const run of whatToForget(await db.getAll('runs'), now())) await forget(run)
  }
  return {
    read: (run) =>
      harmless([], async () => {
        const portions = await db.getAll('portions', ofRun(run))
        const events = portions.flatMap(({ text }) => JSON.parse(text) as SeenEvent[])
        const isDense = events.every(({ id }, index) => id === index + 1)
        if (!isDense) await forget(run)
        return isDense ? events : []
      }),
    add: (run, events) =>
      harmless(undefined, async () => {
        const bytes = await append(db, run, events, now())
        if (bytes > 0) await makeRoom()
      }),
    loadRun: (run) => harmless(null, async () => (await db.get('runs', run))?.about ?? null),
    saveRun: (about) =>
      harmless(undefined, async () => {
        const change = db.transaction('runs', 'readwrite')
        const row = (await change.store.get(about.id)) ?? { lastId: 0, bytes: 0 }
        await change.store.put({ ...row, run: about.id, usedAt: now(), about })
        await change.done
      }),
    forget: (run) => harmless(undefined, () => forget(run)),
  }
}

/** Returns how many bytes were added. Two pages may add the same events at once: each event is stored once. */
async function append(
  db: Database,
  run: RunId,
  events: readonly SeenEvent[],
  usedAt: number,
): Promise<number> {
  const change = db.transaction(['portions', 'runs'], 'readwrite')
  const rows = change.objectStore('runs')
  const portions = change.objectStore('portions')
  const row = (await rows.get(run)) ?? { run, lastId: 0, bytes: 0, usedAt, about: null }
  const fresh = eventsAfter(row.lastId, events)
  if (fresh.length === 0 || row.bytes > mostBytesOfRun) {
    await Promise.all([rows.put({ ...row, usedAt }), change.done])
    return 0
  }
  const last = (await portions.openCursor(ofRun(run), 'prev'))?.value
  const grows = last !== undefined && last.to - last.from + 1 < eventsPerPortion
  const before = grows ? (JSON.parse(last.text) as SeenEvent[]) : []
  const text = JSON.stringify([...before, ...fresh])
  const added = text.length - (grows ? last.text.length : 0)
  const lastId = fresh.at(-1)!.id
  await Promise.all([
    portions.put({ run, from: grows ? last.from : fresh[0]!.id, to: lastId, text }),
    rows.put({ ...row, lastId, bytes: row.bytes + added, usedAt }),
    change.done,
  ])
  return added
}

async function harmless<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch {
    // A cache may fail silently, because the hub has everything.
    return otherwise
  }
}
