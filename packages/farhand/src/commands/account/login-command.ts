import type { Hub } from '@farhand/client/requests/hub'
import { revokeThisDevice } from '@farhand/device/account/bind-device'
import { isHub, keepToken, whoAmI } from '@farhand/device/account/sign-in'
import { readSignInLink } from '@farhand/device/account/sign-in-link'
import { viaLocalSocket } from '@farhand/device/local-hub/via-local-socket'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { noAnswer } from '../../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'
import { pipedText } from '../../terminal/prompts/piped-text.ts'

type Flags = { token?: unknown; state?: unknown; json?: unknown }

/** Stores the token for a hub, once the hub has accepted it. */
export const loginCommand = (said: string, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const { url, token: inLink } = readSignInLink(said)
    const place = stateFolderPath(flags.state, context)
    const hub = viaLocalSocket(place, { url })
    const given = inLink ?? text(flags.token) ?? text(context.env.FARHAND_TOKEN)
    if (given === undefined && said.includes('#code='))
      throw new Trouble(
        'usage',
        'This link signs in a browser, once. This command needs a token.',
        `On the machine of the hub \`${context.called.farhand} user token <you>\` makes one.`,
      )
    // Before the user looks for a token and sends it: is there a hub at this address at all?
    if (given === undefined) await mustBeHub(hub, context)
    const token = given ?? (await askToken(url, context))
    if (!token)
      throw new Trouble(
        'usage',
        `Not signed in to ${url}.`,
        'Give the whole sign-in link that the hub printed, or pipe the token in.',
      )
    const user = await userOf({ ...hub, token }, context)
    // The tokens of a bound computer are replaced here, so nothing may go on with them.
    await revokeThisDevice(url, place, context.stop)
    const keptIn = await keepToken({ url, token }, place, context)
    if (flags.json) return context.out(`${JSON.stringify({ hub: url, user, keptIn })}\n`)
    const kept =
      keptIn === 'keychain' ? 'the keychain of this system' : `a file that only you can read, in ${place}`
    context.out(
      wrapWords(`Signed in to ${url} as ${user}. The token is stored in ${kept}.\n`, context.columns),
    )
  })

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

async function askToken(url: string, context: CommandContext): Promise<string | undefined> {
  if (context.askHidden)
    return (await context.askHidden(`Token for ${url} (it is not shown): `, context.stop))?.trim()
  return (await pipedText(context))?.trim()
}

async function mustBeHub(hub: Hub, context: CommandContext): Promise<void> {
  if (!(await answered(hub, context, (signal) => isHub(hub, signal)))) throw noHub(hub.url)
}

async function userOf(hub: Hub, context: CommandContext): Promise<string> {
  const { url } = hub
  const me = await answered(hub, context, (signal) => whoAmI(hub, signal))
  if (me.is === 'user') return me.name
  if (me.is === 'no-hub') throw noHub(url)
  throw new Trouble(
    'failed',
    `The hub at ${url} does not know this token.`,
    `On its machine \`${context.called.farhand} user token <you> --data <its data folder>\` makes one.`,
  )
}

/** What the hub answers; Trouble if nothing answers at its address. */
async function answered<Answer>(
  { url }: Hub,
  context: CommandContext,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const signal = AbortSignal.any([context.stop, AbortSignal.timeout(patienceMs)])
  return await ask(signal).catch((error: unknown) => {
    const { cause } = error as Error
    throw noAnswer(url, cause instanceof Error && cause.message !== '' ? cause : error, context)
  })
}

const noHub = (url: string) => new Trouble('failed', `No hub answers at ${url}.`, 'Check the address.')
