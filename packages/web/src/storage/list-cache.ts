import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { Database } from './database.ts'

/** The last list of runs, for a page that is opened offline. It never fails. */
export type ListCache = {
  read(): Promise<{ runs: readonly ListedRun[]; asOf: number } | null>
  write(runs: readonly ListedRun[], asOf: number): Promise<void>
}

const name = 'runs'

export const indexedListCache = (db: Database): ListCache => ({
  read: () =>
    db.get('lists', name).then(
      (row) => row ?? null,
      () => null,
    ),
  write: (runs, asOf) =>
    db.put('lists', { name, runs: [...runs], asOf }).then(
      () => {},
      () => {},
    ),
})

export const noListCache: ListCache = { read: async () => null, write: async () => {} }
