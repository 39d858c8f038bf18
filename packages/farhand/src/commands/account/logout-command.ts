import { revokeThisDevice } from '@farhand/device/account/bind-device'
import { readSignInLink } from '@farhand/device/account/sign-in-link'
import { signedInTo, signOut } from '@farhand/device/account/sign-out'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'

type Flags = { state?: unknown; json?: unknown }

/** Deletes the token for a hub, and revokes a bound computer there. Linked folders stay linked and wait until the user signs in again. */
export const logoutCommand = (said: string | undefined, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const { called } = context
    const place = stateFolderPath(flags.state, context)
    const url = said === undefined ? onlyHub(signedInTo(place), context) : readSignInLink(said).url
    const login = `${called.farhand} login ${url}`
    let device = 'not-bound' as Awaited<ReturnType<typeof revokeThisDevice>>
    const says = (folder: string) => ({
      message: `You have signed out of ${url}.`,
      nextStep: `\`${login}\`, then \`${called.farhand} resume ${folder}\`.`,
    })
    const done = await signOut(url, place, says, async () => {
      device = await revokeThisDevice(url, place, context.stop)
    })
    if (done === 'own-hub') {
      const what = `${url} is your own hub: it needs no sign-in.`
      throw new Trouble('usage', what, `\`${called.farhand} hub stop\` ends it.`)
    }
    if (done === 'not-signed-in')
      throw new Trouble('usage', `Not signed in to ${url}.`, `\`${login}\` would keep one.`)
    if (flags.json)
      return context.out(
        `${JSON.stringify({ hub: url, forgotten: true, ...(isBound(device) && { device }) })}\n`,
      )
    const again = isBound(device) ? `${called.farhand} bind ${url}` : login
    context.out(
      wrapWords(
        `Signed out of ${url}: its token is deleted. \`${again}\` signs in again.\n`,
        context.columns,
      ),
    )
    if (device === 'unreachable')
      context.note(
        wrapWords(
          `The hub does not answer, so it still lists this computer. Revoke it in the settings of the web app, or with \`${called.farhand} devices revoke\` on another computer.\n`,
          context.columns,
        ),
      )
  })

const isBound = (device: string) => device !== 'not-bound'

function onlyHub(urls: readonly string[], { called }: CommandContext): string {
  const [only] = urls
  if (only && urls.length === 1) return only
  if (!only) throw new Trouble('usage', 'Not signed in to any hub.', `\`${called.farhand} login <link>\``)
  throw new Trouble('usage', 'Sign out of which hub?', `Name one of ${urls.join(', ')}.`)
}
