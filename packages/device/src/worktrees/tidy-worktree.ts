import { existsSync } from 'node:fs'
import { sleep } from '@farhand/kit/sleep'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { KnownRun } from '../known-runs/known-runs.ts'
import { folderHolder } from '../linked-folders/lock-folder.ts'
import { removeWorktree, unsavedFiles } from './worktrees.ts'

/** How long the link process of the worktree may take to end after its run was closed. */
const endMs = 10_000
const lookMs = 50

/** Why a worktree stays. */
export type Kept =
  | { is: 'synced' }
  | { is: 'unsaved'; files: readonly string[] }
  | { is: 'failed'; error: Error }
export type Tidied = { removed: true; branchStays: boolean } | { removed: false; kept: Kept }

type Given = { env: Readonly<Record<string, string | undefined>>; stop: AbortSignal }

/** Removes the worktree of a closed run if nothing in it is unsaved; null if the run has none. */
export async function tidyWorktree(
  known: Pick<KnownRun, 'workspace' | 'worktree'> | null,
  stateFolderPath: string,
  { env, stop }: Given,
): Promise<Tidied | null> {
  const { worktree, workspace } = known ?? {}
  if (!worktree || workspace === undefined || !existsSync(worktree.root)) return null
  const state = new StateFolder(stateFolderPath)
  const enough = performance.now() + endMs
  while (folderHolder(state, workspace) !== null && performance.now() < enough && !stop.aborted)
    await sleep(lookMs)
  if (folderHolder(state, workspace) !== null) return { removed: false, kept: { is: 'synced' } }
  const given = { env, signal: AbortSignal.timeout(60_000) }
  try {
    const files = await unsavedFiles(worktree.root, given)
    if (files.length > 0) return { removed: false, kept: { is: 'unsaved', files } }
    const { branchStays } = await removeWorktree(worktree, { discard: false }, given)
    state.forget(workspace)
    return { removed: true, branchStays }
  } catch (error) {
    return { removed: false, kept: { is: 'failed', error: error as Error } }
  }
}
