import { existsSync } from 'node:fs'
import { folderHolder } from '@farhand/device/linked-folders/lock-folder'
import type { KnownRun } from '@farhand/device/local-runs/local-runs'
import { removeWorktree, unsavedFiles } from '@farhand/device/worktrees/worktrees'
import { sleep } from '@farhand/kit/sleep'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { unsavedInWords } from './worktree-in-words.ts'

/** How long the link process of the worktree may take to end after its run was closed. */
const endMs = 10_000
const lookMs = 50

export type Tidied = { removed: true; branchStays: boolean } | { removed: false; why: string }

/** Removes the worktree of a closed run if nothing in it is unsaved; null if the run has none. */
export async function tidyWorktree(
  known: Pick<KnownRun, 'workspace' | 'worktree'> | null,
  stateFolderPath: string,
  { env, stop }: Pick<CommandContext, 'env' | 'stop'>,
): Promise<Tidied | null> {
  const { worktree, workspace } = known ?? {}
  if (!worktree || workspace === undefined || !existsSync(worktree.root)) return null
  const state = new StateFolder(stateFolderPath)
  const enough = performance.now() + endMs
  while (folderHolder(state, workspace) !== null && performance.now() < enough && !stop.aborted)
    await sleep(lookMs)
  if (folderHolder(state, workspace) !== null)
    return { removed: false, why: 'it is still being kept in sync' }
  const given = { env, signal: AbortSignal.timeout(60_000) }
  try {
    const unsaved = await unsavedFiles(worktree.root, given)
    if (unsaved.length > 0) return { removed: false, why: unsavedInWords(unsaved) }
    const { branchStays } = await removeWorktree(worktree, { discard: false }, given)
    state.forget(workspace)
    return { removed: true, branchStays }
  } catch (error) {
    return { removed: false, why: (error as Error).message }
  }
}
