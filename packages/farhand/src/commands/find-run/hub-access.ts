import path from 'node:path'
import { findHub, type HubAccess } from '@farhand/device/account/find-hub'
import { readSignInLink } from '@farhand/device/account/sign-in-link'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import { viaLocalSocket } from '@farhand/device/local-hub/via-local-socket'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { paths } from '@farhand/protocol/wire/routes'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { noAnswer } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { hubData, localHubParts } from '../local-hub/local-hub-parts.ts'

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
  const named = text(env.FARHAND_DATA)
  const data = path.resolve(context.cwd, named ?? '.farhand')
  const { folder, begins } = about
  const wanted = { said: said ? readSignInLink(said) : null, token, data, isDataNamed: named !== undefined }
  const found = await findHub({ ...wanted, folder, begins }, state, { stop: context.stop, hubData })
  switch (found.is) {
    case 'known':
      return found.access
    case 'own':
      return await ownHub(flags, state, token, context, about.wants)
    case 'several':
      throw noHub(data, found.urls, called)
    case 'none':
      throw noHub(data, [], called)
    case 'not-signed-in':
      await mustAnswer(found.url, context)
      throw new Trouble(
        'usage',
        `Not signed in to ${found.url}.`,
        `Sign in with: ${called.farhand} login <the link that the hub printed at its first start>. Or give --token, or set FARHAND_TOKEN.`,
      )
  }
}

/** The hub of a remembered run or link; the user's own hub is started if it does not run. */
export async function reachableHub(
  { url, token }: { url: string; token: string },
  flags: { json?: unknown },
  state: StateFolder,
  context: CommandContext,
): Promise<HubAccess> {
  if (!new LocalHub(state.root).note?.urls.includes(url)) return viaLocalSocket(state.root, { url, token })
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

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

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
