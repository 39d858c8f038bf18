import path from 'node:path'
import { removeSyncFiles } from '@farhand/device/linked-folders/remove-sync-files'
import { realPath } from '@farhand/device/real-path'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { nameOrChoice } from '../terminal/choice/name-or-choice.ts'
import { paint } from '../terminal/printing/paint.ts'

type Flags = { state?: unknown; json?: unknown }

/** `farhand links`: lists the linked folders of this machine, and which of them a process keeps in sync now. */
export const linksCommand = (flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const { folderHolder } = await import('@farhand/device/linked-folders/lock-folder')
    const links = state.links().map((link) => ({ ...link, pid: folderHolder(state, link.folder) }))
    if (flags.json) {
      for (const { folder, url, at, wins, device, pid } of links)
        context.out(
          `${JSON.stringify({ folder, hub: url, ...at, wins, device: wins === 'disk' ? device : null, pid })}\n`,
        )
      return
    }
    const { bold, dim } = paint(context.color)
    if (links.length === 0)
      context.out(`No folder is linked. Link one: ${context.called.farhand} link <folder> --run new\n`)
    for (const { folder, url, at, wins, pid } of links) {
      const live = pid === null ? dim('not running') : `running (process ${pid})`
      context.out(
        `${bold(folder)}  ${live}\n  ${at.run} at ${url}${wins === 'log' ? ', its far side' : ''}\n`,
      )
    }
  })

/** `farhand unlink`: forgets a linked folder. Its files and the run stay. */
export const unlinkCommand = (named: string | undefined, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const among = state.links().map(({ folder, at }) => ({ name: folder, says: runInWords(at.run) }))
    const none = `\`${context.called.farhand} link <folder>\` links one.`
    const here = named ?? state.around(realPath(context.cwd))?.folder
    const given = await nameOrChoice(here, { what: 'folder', among, none, json: flags.json }, context)
    const folder = realPath(path.resolve(context.cwd, given))
    if (!state.find(folder))
      throw new Trouble(
        'usage',
        `${folder} is not linked.`,
        `\`${context.called.farhand} links\` lists those that are.`,
      )
    const { folderToForget } = await import('@farhand/device/linked-folders/lock-folder')
    const lock = await folderToForget(state, folder)
    state.forget(folder)
    lock.release()
    removeSyncFiles(folder)
    if (flags.json) return context.out(`${JSON.stringify({ folder, forgotten: true })}\n`)
    context.out(`${folder} is no longer linked. Its files stay, and so does the run.\n`)
  })
