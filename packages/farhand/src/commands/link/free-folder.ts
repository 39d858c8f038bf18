import { runHolding } from '@farhand/device/known-runs/run-holding'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { folderToLink } from './folder-to-link.ts'

/** The real path of a folder that no process keeps in sync; Trouble if one does. */
export async function freeFolder(
  given: string,
  state: StateFolder,
  context: CommandContext,
): Promise<string> {
  const workspace = await folderToLink(given, state.root, context)
  const { folderHolder, folderTaken } = await import('@farhand/device/linked-folders/lock-folder')
  const holder = folderHolder(state, workspace)
  if (holder !== null)
    throw folderTaken(workspace, holder, joinOrClose(runHolding(state, workspace, holder), context))
  return workspace
}

/** What the user can do about a folder that another run has; undefined if that run is not known. */
export const joinOrClose = (run: string | null, { called: { farhand } }: CommandContext) =>
  run === null
    ? undefined
    : `That is for ${runInWords(run)}: \`${farhand} attach ${runInWords(run)}\` joins that, \`${farhand} close ${runInWords(run)}\` ends it.`
