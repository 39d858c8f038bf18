import { BackgroundLinks } from '@farhand/device/daemon/background-links'
import { stopBackgroundLink } from '@farhand/device/daemon/stop-background-link'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import { LocalRuns } from '@farhand/device/local-runs/local-runs'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'
import { readSignInLink } from '../find-run/hub-access.ts'
import { wrapWords } from '../printing/wrap-words.ts'

type Flags = { state?: unknown; json?: unknown }

/** Deletes the token for a hub. Linked folders stay linked and wait until the user signs in again. */
export const logoutCommand = (said: string | undefined, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const runs = new LocalRuns(state.root)
    const own = new LocalHub(state.root).note?.urls ?? []
    const url = said === undefined ? onlyHub(state, own, context) : readSignInLink(said).url
    // Every command finds the token of the local hub again in its data folder.
    if (own.includes(url)) {
      const what = `${url} is your own hub: it needs no sign-in.`
      throw new Trouble('usage', what, `\`${context.called.farhand} hub stop\` ends it.`)
    }
    const folders = new BackgroundLinks(state)
    const login = `${context.called.farhand} login ${url}`
    // The processes of these folders still use the token that is about to be deleted.
    for (const { folder } of folders.all().filter((one) => one.url === url)) {
      const nextStep = `\`${login}\`, then \`${context.called.farhand} resume ${folder}\`.`
      folders.fail(folder, { message: `You have signed out of ${url}.`, nextStep }, Date.now())
      await stopBackgroundLink(folder, folders)
    }
    const isKnown = [...state.links(), ...runs.all()].some((one) => one.url === url && one.token !== '')
    // Records of older versions contain the token: saving them removes it.
    for (const link of state.links()) if (link.url === url) state.save({ ...link, token: '' })
    for (const run of runs.all()) if (run.url === url) runs.save({ ...run, token: '' })
    const wasKept = state.tokens.forget(url)
    if (!isKnown && !wasKept)
      throw new Trouble('usage', `Not signed in to ${url}.`, `\`${login}\` would keep one.`)
    if (flags.json) return context.out(`${JSON.stringify({ hub: url, forgotten: true })}\n`)
    const says = `Signed out of ${url}: its token is deleted. \`${login}\` signs in again.\n`
    context.out(wrapWords(says, context.columns))
  })

function onlyHub(state: StateFolder, own: readonly string[], { called }: CommandContext): string {
  const urls = state.tokens.urls().filter((url) => !own.includes(url))
  const [only] = urls
  if (only && urls.length === 1) return only
  if (!only) throw new Trouble('usage', 'Not signed in to any hub.', `\`${called.farhand} login <link>\``)
  throw new Trouble('usage', 'Sign out of which hub?', `Name one of ${urls.join(', ')}.`)
}
