import { hostname } from 'node:os'
import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import {
  bindByCode,
  bindByPassword,
  isReadableOnTheWay,
  keepDevice,
} from '@farhand/device/account/bind-device'
import { isHub, whoAmI } from '@farhand/device/account/sign-in'
import { readSignInLink } from '@farhand/device/account/sign-in-link'
import { viaLocalSocket } from '@farhand/device/local-hub/via-local-socket'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { DeviceCode, DeviceTokens } from '@farhand/protocol/schemas/accounts'
import { SessionName } from '@farhand/protocol/schemas/sessions'
import { hubTrouble, noAnswer } from '../../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'
import { askOrStop } from '../../terminal/prompts/ask-or-stop.ts'
import { pipedText } from '../../terminal/prompts/piped-text.ts'

type BindFlags = Readonly<Partial<Record<'user' | 'name' | 'code' | 'allowHttp' | 'state' | 'json', unknown>>>

/** Binds this computer to a hub, and stores the tokens that it gets for all commands. */
export const bindCommand = (said: string, flags: BindFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const { url } = readSignInLink(said)
    const place = stateFolderPath(flags.state, context)
    const hub = viaLocalSocket(place, { url })
    if (isReadableOnTheWay(url) && !flags.allowHttp)
      throw new Trouble(
        'usage',
        `${url} is not encrypted: others in the network could read your password and your tokens.`,
        'Use the https address of the hub. In a network that you trust: --allow-http, if the hub allows it too.',
      )
    const name = deviceName(flags.name)
    await mustBeHub(hub, context)
    const tokens = await (flags.code
      ? byCode(hub, name, flags, context)
      : byPassword(hub, name, flags, context))
    if (tokens === null) return
    const keptIn = await keepDevice(hub, { tokens, name }, place, context)
    const me = await whoAmI({ ...hub, token: tokens.acp_token }, context.stop)
    const user = me.is === 'user' ? me.name : null
    const device = tokens.device_id
    if (flags.json)
      return context.out(
        `${JSON.stringify({ event: 'bound', hub: url, user, device, name, expiresAt: tokens.expires_at, keptIn })}\n`,
      )
    const where =
      keptIn === 'keychain' ? 'the keychain of this system' : `a file that only you can read, in ${place}`
    const text = `This computer is bound to ${url} as ${name}${user === null ? '' : `, for ${user}`}. Its tokens are stored in ${where}, and are renewed by themselves. \`${context.called.farhand} devices\` lists your devices, \`${context.called.farhand} logout ${url}\` unbinds this one.\n`
    context.out(wrapWords(text, context.columns))
  })

function deviceName(said: unknown): string {
  const parsed = SessionName.safeParse({ name: typeof said === 'string' ? said : hostname() || 'computer' })
  if (parsed.success) return parsed.data.name
  throw new Trouble(
    'usage',
    'This cannot be the name of a device.',
    'Give one line of up to 100 characters: --name <name>.',
  )
}

async function byPassword(
  hub: Hub,
  name: string,
  flags: BindFlags,
  context: CommandContext,
): Promise<DeviceTokens | null> {
  const username = await userName(flags.user, context)
  if (username === null) return null
  const { askHidden, stop } = context
  const typed = askHidden
    ? await askHidden(`Password of ${username} at ${hub.url} (it is not shown): `, stop)
    : await pipedText(context)
  if (typed === null) return null
  if (!typed)
    throw new Trouble(
      'usage',
      'There is no password.',
      `Type it, pipe it in, or approve this computer in the web app: ${context.called.farhand} bind ${hub.url} --code`,
    )
  try {
    return await bindByPassword(hub, { username, password: typed, device_name: name }, stop)
  } catch (error) {
    throw bindTrouble(error, hub.url, context)
  }
}

async function userName(said: unknown, context: CommandContext): Promise<string | null> {
  if (typeof said === 'string' && said !== '') return said
  if (!context.ask || !context.askHidden)
    throw new Trouble('usage', 'Whose password is it?', 'Name the user: --user <name>.')
  const typed = await askOrStop('User name: ', context)
  if (typed === null || typed.trim() !== '') return typed?.trim() ?? null
  throw new Trouble('usage', 'There is no user name.', 'Name the user: --user <name>.')
}

async function byCode(
  hub: Hub,
  name: string,
  flags: BindFlags,
  context: CommandContext,
): Promise<DeviceTokens | null> {
  const show = (code: DeviceCode) => {
    if (flags.json) return context.out(`${JSON.stringify({ event: 'code', ...withoutSecret(code) })}\n`)
    const minutes = Math.round(code.expires_in / 60)
    context.note(
      `Open ${code.verification_url} where you are signed in, and type this code within ${minutes} minutes:\n\n  ${code.user_code}\n\nWaiting for your approval. Ctrl-C stops it.\n`,
    )
  }
  try {
    const answer = await bindByCode(hub, name, show, context.stop)
    if (answer.is === 'approved') return answer.tokens
    const [what, next] =
      answer.is === 'refused'
        ? [
            'This computer was refused in the web app.',
            'Ask for another code, and check that it is the one you type.',
          ]
        : ['The code has expired.', 'Ask for another one with the same command.']
    throw new Trouble('failed', what, next)
  } catch (error) {
    if (context.stop.aborted) return null
    throw error instanceof Trouble ? error : bindTrouble(error, hub.url, context)
  }
}

// Who knows this one can ask for the tokens.
const withoutSecret = ({ device_code: _, ...code }: DeviceCode) => code

function bindTrouble(error: unknown, url: string, context: CommandContext): unknown {
  if (!(error instanceof Refusal)) return hubTrouble(error, url, context) ?? error
  const { farhand } = context.called
  if (error.code === 'password.wrong')
    return new Trouble(
      'failed',
      'User name and password do not belong together.',
      `The web app sets a password in its settings; on the hub's machine \`${farhand} user password <name>\` does.`,
      error,
    )
  if (error.saidCode === 'route.unknown')
    return new Trouble(
      'failed',
      `The hub at ${url} is too old to bind devices.`,
      `Upgrade it, or sign in with a token: ${farhand} login ${url}`,
      error,
    )
  return new Trouble('failed', `The hub says: ${error.message}.`, `(${error.saidCode})`, error)
}

async function mustBeHub(hub: Hub, context: CommandContext): Promise<void> {
  const signal = AbortSignal.any([context.stop, AbortSignal.timeout(patienceMs)])
  const is = await isHub(hub, signal).catch((error: unknown) => {
    const { cause } = error as Error
    throw noAnswer(hub.url, cause instanceof Error && cause.message !== '' ? cause : error, context)
  })
  if (!is) throw new Trouble('failed', `No hub answers at ${hub.url}.`, 'Check the address.')
}
