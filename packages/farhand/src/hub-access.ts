import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { paths } from '@farhand/protocol/routes'
import type { StateFolder } from '@farhand/sync/state-folder'
import { noAnswer, patienceMs } from './find-run.ts'
import { RunsHere } from './runs-here.ts'
import { Trouble } from './trouble.ts'
import type { World } from './world.ts'

export type HubAccess = {
  url: string
  token: string
  /** Set when a token had to be made for this: whoever may write a hub's data may have one. */
  madeFor?: string
}

/**
 * Where the hub is and who we are there: the command line, then the environment, then what is remembered of links to
 * the same hub, then the hub that runs on the data folder of this place.
 */
export async function hubAccess(
  flags: { hub?: unknown; token?: unknown },
  state: StateFolder,
  world: World,
): Promise<HubAccess> {
  const { env, called } = world
  const said = text(flags.hub) ?? text(env.FARHAND_URL)
  const token = text(flags.token) ?? text(env.FARHAND_TOKEN)
  const signIn = said ? readSignInLink(said) : null
  const data = path.resolve(world.cwd, text(env.FARHAND_DATA) ?? '.farhand')
  const named = signIn?.url ?? localHub(data)
  const known = named ? [named] : hubsOf(state)
  const url = known.length === 1 ? known[0] : undefined
  if (!url) throw noHub(data, known, called)
  const own = token ?? signIn?.token
  if (own) return { url, token: own }
  const isLocal = localHub(data) === url
  const remembered = rememberedToken(state, url)
  // A hub on new data, at the address of the one before, knows nobody; and here we may have another token.
  if (remembered && !(isLocal && (await isUnknown(url, remembered, world)))) return { url, token: remembered }
  if (isLocal) return { url, token: await newToken(data), madeFor: 'owner' }
  await mustAnswer(url, world)
  throw new Trouble(
    'usage',
    `Who are you at ${url}? There is no token for it here.`,
    'Give one with --token or FARHAND_TOKEN. The hub printed it at its first start, in the link to sign in.',
  )
}

/** Before someone looks for a token: the address may be what is wrong. */
async function mustAnswer(url: string, { called, stop }: World): Promise<void> {
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(patienceMs)])
    await fetch(url + paths.healthz(), { signal, redirect: 'manual' })
  } catch (error) {
    stop.throwIfAborted()
    const { cause } = error as Error
    throw noAnswer(url, cause instanceof Error && cause.message !== '' ? cause : error, { called })
  }
}

async function isUnknown(url: string, token: string, { stop }: World): Promise<boolean> {
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(patienceMs)])
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(url + paths.me(), { signal, headers, redirect: 'manual' })).status === 401
  } catch {
    // Whoever asks next finds out what is wrong, and tells.
    return false
  }
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** People have the link to sign in at hand: its address and its token are all that is needed. */
function readSignInLink(said: string): { url: string; token?: string } {
  try {
    const { origin, pathname, hash, protocol } = new URL(said)
    if (!/^https?:$/.test(protocol)) throw new Error('another protocol')
    const token = /^#token=(.+)$/.exec(hash)?.[1]
    return { url: origin + pathname.replace(/\/+$/, ''), ...(token && { token }) }
  } catch (error) {
    const next = 'It takes an address such as http://127.0.0.1:7717.'
    throw new Trouble('usage', `--hub is ${JSON.stringify(said)}, which is no address.`, next, error)
  }
}

function localHub(data: string): string | null {
  try {
    const { url, pid } = JSON.parse(readFileSync(path.join(data, 'hub.json'), 'utf8'))
    // A hub that was killed has left the file.
    process.kill(pid, 0)
    return url
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
      ? JSON.parse(readFileSync(path.join(data, 'hub.json'), 'utf8')).url
      : null
  }
}

/** The hubs that linked folders and runs of this machine use. */
function hubsOf(state: StateFolder): string[] {
  return [...new Set([...state.links(), ...new RunsHere(state.root).all()].map(({ url }) => url))].sort()
}

function noHub(data: string, known: readonly string[], called: World['called']): Trouble {
  if (known.length > 1)
    return new Trouble(
      'usage',
      `Which hub? Folders and runs of this machine use several: ${known.join(', ')}.`,
      'Name one: --hub <url>, or FARHAND_URL.',
    )
  const start = called.hub.replace(/ --$/, '')
  return new Trouble(
    'usage',
    `No hub is running on ${data}. It is what keeps runs, and whoever starts one needs it.`,
    `Start it in another terminal, and let it run: \`${start}\`. Then say this again. Does one run elsewhere, or on other data? --hub <the link that it printed> (or FARHAND_URL), or --hub <url> --token <token>.`,
  )
}

function rememberedToken(state: StateFolder, url: string): string | undefined {
  const isThere = (one: { url: string }) => one.url === url
  return (state.links().find(isThere) ?? new RunsHere(state.root).all().find(isThere))?.token
}

async function newToken(data: string): Promise<string> {
  const file = path.join(data, 'store.sqlite')
  if (!existsSync(file)) throw new Trouble('failed', `${data} holds no hub's data.`, 'Give a --token.')
  const [{ openSqliteStore }, { addToken }] = await Promise.all([
    import('@farhand/hub/store/sqlite-store'),
    import('@farhand/hub/access/tokens'),
  ])
  const store = await openSqliteStore(file)
  try {
    return (await addToken(store.db, 'owner', new Date(), 'farhand link')).token
  } finally {
    await store.close()
  }
}
