import { existsSync } from 'node:fs'
import path from 'node:path'
import { type BackgroundLink, BackgroundLinks } from '@farhand/device/device-process/background-links'
import { stopBackgroundLink } from '@farhand/device/device-process/stop-background-link'
import { realPath } from '@farhand/device/real-path'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { shellWord } from '@farhand/device/wording/shell-word'
import { unlessStopped } from '@farhand/kit/unless-stopped'
import { type Link, StateFolder } from '@farhand/sync/state/state-folder'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { ensureUserDevice } from '../link/ensure-user-device.ts'
import { startLink } from '../link/start-link.ts'

type Flags = { all?: unknown; state?: unknown; json?: unknown }
type Meant = { folder: string; kept: BackgroundLink; link: Link }

/** Pauses background links until the user resumes them. Changes wait meanwhile. */
export const pauseCommand = (given: string | undefined, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const folders = new BackgroundLinks(new StateFolder(stateFolderPath(flags.state, context)))
    for (const { folder, kept } of meant(given, flags, folders, context)) {
      // Written down first: if this command is killed, the device process goes on with it.
      if (kept.is === 'live') folders.set(folder, { is: 'paused', since: Date.now(), words: kept.words })
      await stopBackgroundLink(folder, folders)
      if (flags.json) context.out(`${JSON.stringify({ folder, paused: kept.is !== 'failed' })}\n`)
      else if (kept.is === 'failed') context.out(`${folder} is not kept in sync anyway: ${kept.message}\n`)
      else
        context.out(
          `${folder} is paused. \`${context.called.farhand} resume ${shellWord(folder)}\` goes on.\n`,
        )
    }
  })

/** Resumes background links that are paused or have failed; resolves when each is in step, or throws the reason. */
export const resumeCommand = (given: string | undefined, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const folders = new BackgroundLinks(state)
    const troubles: Trouble[] = []
    for (const { folder, kept, link } of meant(given, flags, folders, context)) {
      const told = (how: object, words: string) =>
        context.out(flags.json ? `${JSON.stringify({ folder, ...how })}\n` : `${words}\n`)
      if (folders.holder(folder) !== null) {
        if (kept.is !== 'live') folders.set(folder, { is: 'live', since: Date.now(), words: kept.words })
        await ensureUserDevice(state.root, context)
        told({ resumed: true }, `${folder} is being kept in sync.`)
        continue
      }
      if (!existsSync(folder)) {
        troubles.push(new Trouble('failed', `${folder} is gone.`, 'Put it back, or unlink it.'))
        continue
      }
      const { words } = kept
      const { url, token, at } = link
      const started = startLink({ url, token, at, workspace: folder }, { state, words }, context)
      try {
        const { files } = await unlessStopped(context.stop, started.inStep)
        told({ resumed: true, files }, `${folder} is in step again, ${count(files, 'file')}.`)
      } catch (error) {
        if (context.stop.aborted) return
        if (!(error instanceof Trouble)) throw error
        troubles.push(error)
      }
    }
    const [first, ...others] = troubles
    // The first one is thrown below.
    for (const { message, nextStep } of others) context.note(`${message}\n${nextStep}\n`)
    if (first) throw first
  })

/** The folders that the user means: the named or the current one, or all. */
function meant(
  given: string | undefined,
  flags: Flags,
  folders: BackgroundLinks,
  context: CommandContext,
): Meant[] {
  const kept = folders.all().flatMap(({ folder, kept }) => {
    const link = folders.state.find(folder)
    return link ? [{ folder, kept, link }] : []
  })
  if (flags.all) return kept
  const place = realPath(path.resolve(context.cwd, given ?? '.'))
  const around = folders.state.around(place)
  const one = kept.find(({ folder }) => folder === around?.folder)
  if (one) return [one]
  const { farhand } = context.called
  if (around) {
    const next = `\`${farhand} link ${shellWord(around.folder)} --background\` has it kept there.`
    throw new Trouble('usage', `${around.folder} is not kept in the background.`, next)
  }
  const next = `\`${farhand} status\` lists those that are. --all means every one of them.`
  throw new Trouble('usage', `${place} is in no linked folder.`, next)
}
