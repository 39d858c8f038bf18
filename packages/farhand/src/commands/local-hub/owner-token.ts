import { existsSync } from 'node:fs'
import path from 'node:path'
import { Trouble } from '@farhand/device/trouble/trouble'

/** Creates a token for the hub's owner: write access to the data is the permission. The hub may be running. */
export async function ownerToken(data: string, label: string): Promise<string> {
  const file = path.join(data, 'store.sqlite')
  if (!existsSync(file)) throw new Trouble('failed', `${data} is not a hub's data folder.`, 'Give a --token.')
  const [{ openSqliteStore }, { addToken }] = await Promise.all([
    import('@farhand/hub/store/sqlite-store'),
    import('@farhand/hub/access/tokens'),
  ])
  const store = await openSqliteStore(file)
  try {
    return (await addToken(store.db, 'owner', new Date(), label)).token
  } finally {
    await store.close()
  }
}
