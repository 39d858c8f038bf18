import type { Hub } from '@farhand/client/requests/hub'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { KnownRuns } from '../known-runs/known-runs.ts'
import { askHub } from '../local-hub/ask-hub.ts'
import { hubOfDataFolder } from '../local-hub/hub-of-data-folder.ts'
import { LocalHub } from '../local-hub/local-hub.ts'
import type { HubData } from '../local-hub/local-hub-parts.ts'
import { viaLocalSocket } from '../local-hub/via-local-socket.ts'
import { whichHub } from '../local-hub/which-hub.ts'
import { patienceMs } from '../requests/patience-ms.ts'

export type HubAccess = Hub & {
  token: string
  /** The user for whom a token was made on the spot: who may write a hub's data may also make a token. */
  madeFor?: string
}

type Wanted = {
  /** The hub that the user names, with the token in its link. */
  said: { url: string; token?: string } | null
  /** The token that the user gives. */
  token: string | undefined
  /** The data folder of a hub that may run here, and whether the user has named it. */
  data: string
  isDataNamed: boolean
  /** A folder whose link, or the link of a folder around it, names the hub. */
  folder?: string | undefined
  /** Whether the command begins something: then the user's own hub is started if there is no other. */
  begins?: boolean | undefined
}

export type FoundHub =
  | { is: 'known'; access: HubAccess }
  /** The user's own hub, which may have to be started. */
  | { is: 'own' }
  | { is: 'several'; urls: readonly string[] }
  | { is: 'none' }
  | { is: 'not-signed-in'; url: string }

/**
 * The hub and a token for it. In this order: the hub that the user names, the hub that runs on the data folder, the hub of the folder
 * that the command is about, the only hub that this machine knows, the user's own hub.
 */
export async function findHub(
  { said, token, data, isDataNamed, folder, begins }: Wanted,
  state: StateFolder,
  { stop, hubData }: { stop: AbortSignal; hubData: HubData },
): Promise<FoundHub> {
  const local = await hubOfDataFolder(data, hubData)
  const own = new LocalHub(state.root)
  const which = whichHub({
    said: said?.url ?? null,
    running: local,
    near: folder === undefined ? null : (state.around(folder)?.url ?? null),
    known: hubsOf(state),
    own: own.note?.urls ?? [],
    // The named data folder names a hub: no other one is started instead.
    mayBegin: (begins === true && !isDataNamed) || own.hasData,
  })
  if (which.is !== 'at') return which
  const { url } = which
  const known = (given: string): FoundHub => ({
    is: 'known',
    access: viaLocalSocket(state.root, { url, token: given }),
  })
  const given = token ?? said?.token
  if (given) return known(given)
  const isLocal = local === url
  const remembered = rememberedToken(state, url)
  const access = remembered && viaLocalSocket(state.root, { url, token: remembered })
  // The data folder of a hub at this address may have been replaced: then it knows none of the old tokens.
  if (access && !(isLocal && (await isUnknown(access, stop)))) return { is: 'known', access }
  if (!isLocal) return { is: 'not-signed-in', url }
  return {
    is: 'known',
    access: { url, token: await hubData.makeOwnerToken(data, 'farhand link'), madeFor: 'owner' },
  }
}

const isUnknown = async (hub: Hub, stop: AbortSignal) =>
  // A hub that does not answer may still know the token: the next request reports what is wrong.
  (await askHub(hub, stop, patienceMs)) === 'knows-us-not'

/** The hubs of linked folders and remembered runs, and those that the user has signed in to. */
function hubsOf(state: StateFolder): string[] {
  const used = [...state.links(), ...new KnownRuns(state.root).all()].map(({ url }) => url)
  return [...new Set([...used, ...state.tokens.signedIn()])].sort()
}

function rememberedToken(state: StateFolder, url: string): string | undefined {
  const kept = state.tokens.of(url)
  if (kept !== null) return kept
  // Files of older versions contain the token themselves.
  const isThere = (one: { url: string }) => one.url === url
  return (state.links().find(isThere) ?? new KnownRuns(state.root).all().find(isThere))?.token
}
