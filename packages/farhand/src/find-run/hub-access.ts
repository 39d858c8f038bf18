import path from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { askHub } from '@farhand/device/local-hub/ask-hub'
import { hubOfDataFolder } from '@farhand/device/local-hub/hub-of-data-folder'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import { viaLocalSocket } from '@farhand/device/local-hub/via-local-socket'
import { whichHub } from '@farhand/device/local-hub/which-hub'
import { LocalRuns } from '@farhand/device/local-runs/local-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { paths } from '@farhand/protocol/wire/routes'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { noAnswer } from '../errors/hub-trouble.ts'
import { hubData, localHubParts } from '../local-hub/local-hub-parts.ts'

export type HubAccess = Hub & {
  token: string
  /** The user for whom a token was made on the spot: who may write a hub's data may also make a token. */
  madeFor?: string
}

/** What a command is about: this decides between several hubs, and whether one may be started. */
type HubAbout = {
  /** A folder whose link, or the link of a folder around it, names the hub. */
  folder?: string
  /** Whether the command begins something: then the user's own hub is started if there is no other. */
  begins?: boolean
  /** Variables that the command needs: the user's own hub is restarted if it was started without those that are set here. */
  wants?: readonly string[]
}

/**
 * The address of the hub, and a token for it. In this order: the hub that the user names, the hub that runs on the data of the
 * working folder, the hub of the folder that the command is about, the only hub that this machine knows, the user's own hub,
 * which is started if necessary.
 */
export async function hubAccess(
  flags: { hub?: unknown; token?: unknown; json?: unknown },
  state: StateFolder,
  context: CommandContext,
  about: HubAbout = {},
): Promise<HubAccess> {
  const { env, called } = context
  const said = text(flags.hub) ?? text(env.FARHAND_URL)
  const token = text(flags.token) ?? text(env.FARHAND_TOKEN)
  const signIn = said ? readSignInLink(said) : null
  const named = text(env.FARHAND_DATA)
  const data = path.resolve(context.cwd, named ?? '.farhand')
  const local = await hubOfDataFolder(data, hubData)
  const own = new LocalHub(state.root)
  const which = whichHub({
    said: signIn?.url ?? null,
    running: local,
    near: about.folder === undefined ? null : (state.around(about.folder)?.url ?? null),
    known: hubsOf(state),
    own: own.note?.urls ?? [],
    // FARHAND_DATA names a hub: no other one is started instead.
    mayBegin: (about.begins === true && named === undefined) || own.hasData,
  })
  if (which.is === 'own') return await ownHub(flags, state, token, context, about.wants)
  if (which.is !== 'at') throw noHub(data, which.is === 'several' ? which.urls : [], called)
  const { url } = which
  const given = token ?? signIn?.token
  if (given) return viaLocalSocket(state.root, { url, token: given })
  const isLocal = local === url
  const remembered = rememberedToken(state, url)
  const known = remembered && viaLocalSocket(state.root, { url, token: remembered })
  // The data folder of a hub at this address may have been replaced: then it knows none of the old tokens.
  if (known && !(isLocal && (await isUnknown(known, context)))) return known
  if (isLocal) return { url, token: await hubData.makeOwnerToken(data, 'farhand link'), madeFor: 'owner' }
  await mustAnswer(url, context)
  throw new Trouble(
    'usage',
    `Not signed in to ${url}.`,
    `Sign in with: ${called.farhand} login <the link that the hub printed at its first start>. Or give --token, or set FARHAND_TOKEN.`,
  )
}

/** The hub of a remembered run or link; the user's own hub is started if it does not run. */
export async function reachableHub(
  { url, token }: { url: string; token: string },
  flags: { json?: unknown },
  state: StateFolder,
  context: CommandContext,
): Promise<HubAccess> {
  if (!new LocalHub(state.root).note?.urls.includes(url)) return { url, token }
  return await ownHub(flags, state, token || undefined, context)
}

async function ownHub(
  flags: { json?: unknown },
  state: StateFolder,
  token: string | undefined,
  context: CommandContext,
  wants?: readonly string[],
): Promise<HubAccess> {
  const { ensureLocalHub } = await import('@farhand/device/local-hub/ensure-local-hub')
  const hub = await ensureLocalHub(state, localHubParts(context), wants)
  if (hub.isStarted && !flags.json)
    context.note(
      `A hub of your own has been started at ${hub.url}; \`${context.called.farhand} hub stop\` ends it.\n`,
    )
  return viaLocalSocket(state.root, { url: hub.url, token: token ?? hub.token })
}

/** Checks the address before the user is asked for a token: the address may be wrong. */
async function mustAnswer(url: string, { called, stop }: CommandContext): Promise<void> {
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(patienceMs)])
    await fetch(url + paths.healthz(), { signal, redirect: 'manual' })
  } catch (error) {
    stop.throwIfAborted()
    const { cause } = error as Error
    throw noAnswer(url, cause instanceof Error && cause.message !== '' ? cause : error, { called })
  }
}

const isUnknown = async (hub: Hub, { stop }: CommandContext) =>
  // A hub that does not answer may still know the token: the next request reports what is wrong.
  (await askHub(hub, stop, patienceMs)) === 'knows-us-not'

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** The address and the token in a sign-in link, or the address alone. */
export function readSignInLink(said: string): { url: string; token?: string } {
  try {
    const { origin, pathname, hash, protocol } = new URL(said)
    if (!/^https?:$/.test(protocol)) throw new Error('another protocol')
    const token = /^#token=(.+)$/.exec(hash)?.[1]
    // The user may have copied the address of a page of the app, or the link for browsers.
    const place = pathname.replace(/\/(in|new|settings|runs(\/.*)?)?\/*$/, '')
    return { url: origin + place, ...(token && { token }) }
  } catch (error) {
    const next = 'It takes an address such as http://127.0.0.1:7717.'
    throw new Trouble('usage', `${JSON.stringify(said)} is not the address of a hub.`, next, error)
  }
}

/** The hubs of linked folders and remembered runs, and those that the user has signed in to. */
function hubsOf(state: StateFolder): string[] {
  const used = [...state.links(), ...new LocalRuns(state.root).all()].map(({ url }) => url)
  return [...new Set([...used, ...state.tokens.signedIn()])].sort()
}

function noHub(data: string, known: readonly string[], called: CommandContext['called']): Trouble {
  if (known.length > 1)
    return new Trouble(
      'usage',
      `Which hub? Folders and runs of this machine use several: ${known.join(', ')}.`,
      'Name one: --hub <url>, or FARHAND_URL.',
    )
  const start = called.hub.replace(/ --$/, '')
  return new Trouble(
    'usage',
    `No hub is running on ${data}, and this machine knows no other. A hub keeps runs.`,
    `\`${called.farhand} run\` starts one in the background, \`${start}\` in a terminal. If one runs elsewhere, or on other data: --hub <the link that it printed> (or FARHAND_URL), or --hub <url> --token <token>.`,
  )
}

function rememberedToken(state: StateFolder, url: string): string | undefined {
  const kept = state.tokens.of(url)
  if (kept !== null) return kept
  // Files of older versions contain the token themselves.
  const isThere = (one: { url: string }) => one.url === url
  return (state.links().find(isThere) ?? new LocalRuns(state.root).all().find(isThere))?.token
}
