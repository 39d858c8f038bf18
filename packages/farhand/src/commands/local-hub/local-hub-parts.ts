import { existsSync } from 'node:fs'
import path from 'node:path'
import type { HubData, StartParts } from '@farhand/device/local-hub/local-hub-parts'
import { Trouble } from '@farhand/device/trouble/trouble'
import { exitOf } from '../../command-line/errors/exit-codes.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { version } from '../../context/version.ts'
import { whileWaiting } from '../../terminal/printing/while-waiting.ts'

/** The hub's own code for data folders, loaded when it is needed: it takes longer to load than most commands take. */
export const hubData: HubData = {
  loadLock: async () => (await import('@farhand/hub/store/data-lock')).lockData,
  makeOwnerToken: ownerToken,
}

const waitsFor = { starts: 'a hub is being started', stops: 'the hub is finishing what is under way' }

/** What the local hub is started, found and stopped with. */
export const localHubParts = (context: CommandContext): StartParts => ({
  hubData,
  self: context.self,
  env: context.env,
  stop: context.stop,
  version,
  exitOf,
  whileWaiting: (what, act) => whileWaiting(waitsFor[what], context, act),
})

/** Creates a token for the hub's owner: write access to the data is the permission. The hub may be running. */
async function ownerToken(data: string, label: string): Promise<string> {
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
