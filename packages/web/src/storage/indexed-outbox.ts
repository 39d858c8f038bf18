import type { DeedBox } from '../outbox/outbox.ts'
import type { Database } from './database.ts'

/** A box that outlasts the page. It rejects where nothing can be kept: whoever wrote something should know. */
export function indexedDeedBox(db: Database): DeedBox {
  return {
    async put(deed) {
      const change = db.transaction('deeds', 'readwrite')
      const before = await change.store.index('key').getKey(deed.key)
      await Promise.all([change.store.put(deed, before), change.done])
    },
    list: (run) => db.getAllFromIndex('deeds', 'run', run),
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
