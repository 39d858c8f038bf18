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
  if (holder !== null) throw folderTaken(workspace, holder, advice(state, workspace, holder, context))
  return workspace
}

function advice(
  state: StateFolder,
  workspace: string,
  pid: number,
  { called }: CommandContext,
): string | undefined {
  const run = runHolding(state, workspace, pid)
  if (run === null) return undefined
  const { farhand } = called
  return `That is for ${runInWords(run)}: \`${farhand} attach ${runInWords(run)}\` joins that, \`${farhand} close ${runInWords(run)}\` ends it.`
}
