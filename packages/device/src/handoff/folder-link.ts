import { unlessStopped } from '@farhand/kit/unless-stopped'
import { BackgroundLinks } from '../device-process/background-links.ts'
import { stopBackgroundLink } from '../device-process/stop-background-link.ts'
import { folderTaken } from '../linked-folders/lock-folder.ts'
import { removeSyncFiles } from '../linked-folders/remove-sync-files.ts'
import type { HandoffParts } from './handoff-parts.ts'
import type { HandoffRun } from './handoff-run.ts'

export type Linked = Pick<HandoffRun, 'hub' | 'at' | 'known' | 'workspace' | 'state'>

const hasMet = ({ state, workspace, at }: Linked) => state.identity(workspace, at) !== null

/**
 * Whether this folder has had the run's files. Another folder may contain old files, which must not win over the run's.
 */
export const hadRunFiles = (run: Linked) => hasMet(run) || run.known?.workspace === run.workspace

/** Forgets a folder that was tried without success and never had the run's files. */
export function forgetIfNeverLinked(run: Linked): void {
  const { state, workspace, at } = run
  if (hadRunFiles(run) || state.find(workspace)?.at.run !== at.run) return
  state.forget(workspace)
  removeSyncFiles(workspace)
}

/** In a folder of the run that was never linked, the local files win. In any other folder the user must decide. */
export const linkWords = (run: Linked) => (hasMet(run) || !hadRunFiles(run) ? [] : ['--mine'])

/**
 * Syncs the folder with the run once, local changes included, and ends the link, so that the next process finds in the
 * folder what the log has.
 */
export async function syncFolderOnce(
  run: Linked,
  { stop, startLink }: Pick<HandoffParts, 'stop' | 'startLink'>,
): Promise<void> {
  await releaseFolder(run)
  try {
    await unlessStopped(stop, startLink(linkWords(run)).inStep)
  } finally {
    await releaseFolder(run)
  }
}

/** Stops the background link of the folder and waits for its end. A link in the user's terminal is not stopped. */
export async function releaseFolder({
  workspace,
  state,
}: Pick<HandoffRun, 'workspace' | 'state'>): Promise<void> {
  const folders = new BackgroundLinks(state)
  folders.drop(workspace)
  await stopBackgroundLink(workspace, folders)
  const holder = folders.holder(workspace)
  if (holder !== null) throw folderTaken(workspace, holder)
}
