import { readSignInLink } from '@farhand/device/account/sign-in-link'
import { signedInTo, signOut } from '@farhand/device/account/sign-out'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'

type Flags = { state?: unknown; json?: unknown }

/** Deletes the token for a hub. Linked folders stay linked and wait until the user signs in again. */
export const logoutCommand = (said: string | undefined, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const { called } = context
    const place = stateFolderPath(flags.state, context)
    const url = said === undefined ? onlyHub(signedInTo(place), context) : readSignInLink(said).url
    const login = `${called.farhand} login ${url}`
    const done = await signOut(url, place, (folder) => ({
      message: `You have signed out of ${url}.`,
      nextStep: `\`${login}\`, then \`${called.farhand} resume ${folder}\`.`,
    }))
    if (done === 'own-hub') {
      const what = `${url} is your own hub: it needs no sign-in.`
      throw new Trouble('usage', what, `\`${called.farhand} hub stop\` ends it.`)
    }
    if (done === 'not-signed-in')
      throw new Trouble('usage', `Not signed in to ${url}.`, `\`${login}\` would keep one.`)
    if (flags.json) return context.out(`${JSON.stringify({ hub: url, forgotten: true })}\n`)
    const says = `Signed out of ${url}: its token is deleted. \`${login}\` signs in again.\n`
    context.out(wrapWords(says, context.columns))
  })

function onlyHub(urls: readonly string[], { called }: CommandContext): string {
  const [only] = urls
  if (only && urls.length === 1) return only
  if (!only) throw new Trouble('usage', 'Not signed in to any hub.', `\`${called.farhand} login <link>\``)
  throw new Trouble('usage', 'Sign out of which hub?', `Name one of ${urls.join(', ')}.`)
}
