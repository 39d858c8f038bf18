import type { Outbox } from '../outbox/outbox.ts'
import type { Database, StoredAction } from './database.ts'

/** An outbox in IndexedDB. It rejects if storing fails, so that the caller can say so. */
export function indexedOutbox(db: Database): Outbox {
  return {
    async put({ action, ...rest }) {
      const stored: StoredAction = { ...rest, deed: action }
      const change = db.transaction('deeds', 'readwrite')
      const before = await change.store.index('key').getKey(stored.key)
      await Promise.all([change.store.put(stored, before), change.done])
    },
    async list(run) {
      const stored = await db.getAllFromIndex('deeds', 'run', run)
      return stored.map(({ deed, ...rest }) => ({ ...rest, action: deed }))
    },
    async runs() {
      return [...new Set((await db.getAll('deeds')).map(({ at }) => at.run))]
    },
    async remove(key) {
      const change = db.transaction('deeds', 'readwrite')
      const before = await change.store.index('key').getKey(key)
      await Promise.all([before === undefined ? undefined : change.store.delete(before), change.done])
    },
  }
}
