import { existsSync } from 'node:fs'
import path from 'node:path'
import { Trouble } from '../errors/trouble.ts'

/** A new token of the owner of this data: whoever may write a hub's data may have one. The hub need not be stopped. */
export async function ownerToken(data: string, label: string): Promise<string> {
  const file = path.join(data, 'store.sqlite')
  if (!existsSync(file)) throw new Trouble('failed', `${data} holds no hub's data.`, 'Give a --token.')
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
