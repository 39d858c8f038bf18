import type { HubData, StartParts } from '@farhand/device/local-hub/local-hub-parts'
import { exitOf } from '../../command-line/errors/exit-codes.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { version } from '../../context/version.ts'
import { whileWaiting } from '../../terminal/printing/while-waiting.ts'

/** The hub's own code for data folders, loaded when it is needed: it takes longer to load than most commands take. */
export const hubData: HubData = {
  loadLock: async () => (await import('@farhand/hub/store/data-lock')).lockData,
  makeOwnerToken: async (data, label) => (await import('./owner-token.ts')).ownerToken(data, label),
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
