import type { KnownRun } from '@farhand/device/known-runs/known-runs'
import { shellWord } from '@farhand/device/wording/shell-word'
import { type Kept, tidyWorktree } from '@farhand/device/worktrees/tidy-worktree'
import type { CommandContext } from '../../context/command-context.ts'
import { unsavedInWords } from './worktree-in-words.ts'

/** Removes the worktree of a closed run if nothing in it is needed: what was done, as JSON has it and in words. Null if the run has none. */
export async function tidyRun(known: KnownRun | null, stateFolderPath: string, context: CommandContext) {
  const done = await tidyWorktree(known, stateFolderPath, context)
  if (!done || !known?.worktree) return null
  const { root: folder, branch } = known.worktree
  if (done.removed) {
    const commits = done.branchStays ? ` Its commits are on the branch ${branch}.` : ''
    const says = `Its worktree ${folder} had no unsaved files and is removed.${commits}\n`
    return { folder, branch, done, says }
  }
  const why = keptInWords(done.kept)
  const flags = done.kept.is === 'unsaved' ? ' --discard' : ''
  const remove = `\`${context.called.farhand} worktree rm ${shellWord(folder)}${flags}\` removes it`
  const next = flags === '' ? remove : `Commit them there; ${remove} with them`
  const says = `Its worktree stays: ${folder} (${why}). ${next}.\n`
  return { folder, branch, done: { removed: false, why, flags }, says }
}

function keptInWords(kept: Kept): string {
  switch (kept.is) {
    case 'synced':
      return 'it is still being kept in sync'
    case 'unsaved':
      return unsavedInWords(kept.files)
    case 'failed':
      return kept.error.message
  }
}
