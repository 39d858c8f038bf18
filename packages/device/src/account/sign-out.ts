import { StateFolder } from '@farhand/sync/state/state-folder'
import { BackgroundLinks } from '../device-process/background-links.ts'
import { stopBackgroundLink } from '../device-process/stop-background-link.ts'
import { withTokensLocked } from '../device-token/lock-tokens.ts'
import { KnownRuns } from '../known-runs/known-runs.ts'
import { LocalHub } from '../local-hub/local-hub.ts'

type Words = { message: string; nextStep: string }

/** The hubs that the user has signed in to. Not the local hub: every command finds its token again in its data folder. */
export function signedInTo(stateFolder: string): string[] {
  const own = ownUrls(stateFolder)
  return new StateFolder(stateFolder).tokens.urls().filter((url) => !own.includes(url))
}

/**
 * Deletes the token for a hub. Linked folders stay linked and wait until the user signs in again; `says` is what is recorded for
 * each of them, and `beforeForgetting` is called once they no longer use the token. `own-hub` is the local hub, for which nothing is done.
 */
export async function signOut(
  url: string,
  stateFolder: string,
  says: (folder: string) => Words,
  beforeForgetting: () => Promise<void> = async () => {},
): Promise<'signed-out' | 'not-signed-in' | 'own-hub'> {
  if (ownUrls(stateFolder).includes(url)) return 'own-hub'
  const state = new StateFolder(stateFolder)
  const runs = new KnownRuns(stateFolder)
  const folders = new BackgroundLinks(state)
  // The processes of these folders still use the token that is about to be deleted.
  for (const { folder } of folders.all().filter((one) => one.url === url)) {
    folders.fail(folder, says(folder), Date.now())
    await stopBackgroundLink(folder, folders)
  }
  // While the token is still there.
  await beforeForgetting()
  const isKnown = [...state.links(), ...runs.all()].some((one) => one.url === url && one.token !== '')
  // Records of older versions contain the token: saving them removes it.
  for (const link of state.links()) if (link.url === url) state.save({ ...link, token: '' })
  for (const run of runs.all()) if (run.url === url) runs.save({ ...run, token: '' })
  const wasKept = await withTokensLocked(state.tokens, url, () => state.tokens.forget(url))
  return isKnown || wasKept ? 'signed-out' : 'not-signed-in'
}

const ownUrls = (stateFolder: string) => new LocalHub(stateFolder).note?.urls ?? []
