import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import { BackgroundLinks } from '../device-process/background-links.ts'
import { stopBackgroundLink } from '../device-process/stop-background-link.ts'
import { removeSyncFiles } from './remove-sync-files.ts'

type Places = { state: StateFolder; at: RunAddress; before: Link | null }

/** After a run that failed to begin: links its folder as it was linked before, or unlinks it. */
export async function restoreLink(folder: string, { state, at, before }: Places): Promise<void> {
  if (state.find(folder)?.at.run !== at.run) return
  const folders = new BackgroundLinks(state)
  folders.drop(folder)
  await stopBackgroundLink(folder, folders)
  state.forgetRun(folder, at)
  if (before) state.save(before)
  else removeSyncFiles(folder)
}
