import { addUser } from '@farhand/hub/access/users'
import { openSqliteStore } from '@farhand/hub/store/sqlite-store'
import type { Role } from '@farhand/hub/store/tables'
import type { HubProcess } from '@farhand/testkit/hub-process'

/** Adds a user to a hub that runs, as `farhand user add` does, and returns how they reach it. */
export async function addedUser(hub: Pick<HubProcess, 'data' | 'url'>, name: string) {
  const { token } = await inStore(hub, (db) => addUser(db, { name, role: 'member' }, new Date()))
  return { url: hub.url, token }
}

export const setRole = (hub: Pick<HubProcess, 'data'>, name: string, role: Role) =>
  inStore(hub, (db) => db.updateTable('users').set({ role }).where('name', '=', name).execute())

type Db = Awaited<ReturnType<typeof openSqliteStore>>['db']

async function inStore<Result>({ data }: { data: string }, work: (db: Db) => Promise<Result>) {
  const store = await openSqliteStore(`${data}/store.sqlite`)
  try {
    return await work(store.db)
  } finally {
    await store.close()
  }
}
