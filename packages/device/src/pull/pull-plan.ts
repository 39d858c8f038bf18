import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

export type Entries = ReadonlyMap<WorkspacePath, FileEntry>

export type Brought = { path: WorkspacePath; from: FileEntry | null; to: FileEntry | null }

/** A path that stays unchanged here although the run has another version. */
export type Left = {
  path: WorkspacePath
  why: 'both-changed' | 'was-here' | 'deleted-there' | 'only-here-changed'
}

export type PullPlan = {
  brought: Brought[]
  /** Versions that exist only here and are overwritten with --force: stored at the hub first. */
  overwritten: { path: WorkspacePath; entry: FileEntry }[]
  left: Left[]
  /** How many files are the same here and in the run. */
  same: number
}

/**
 * Plans a pull from three trees: the run's, the last pulled one, and the folder's. A path that changed on one side only
 * is clear; one that changed on both stays, unless the user insists. Only files that are exactly as pulled are deleted.
 */
export function pullPlan(
  there: Entries,
  pulled: Entries,
  here: (path: WorkspacePath) => FileEntry | null,
  insists = false,
): PullPlan {
  const plan: PullPlan = { brought: [], overwritten: [], left: [], same: 0 }
  const paths = new Set([...there.keys(), ...pulled.keys()])
  for (const path of [...paths].sort()) {
    const to = there.get(path) ?? null
    const base = pulled.get(path) ?? null
    const from = here(path)
    if (sameEntry(from, to)) plan.same += to ? 1 : 0
    else if (sameEntry(from, base)) plan.brought.push({ path, from, to })
    else if (!to) plan.left.push({ path, why: 'deleted-there' })
    else if (insists) {
      if (from) plan.overwritten.push({ path, entry: from })
      plan.brought.push({ path, from, to })
    } else if (sameEntry(to, base)) plan.left.push({ path, why: 'only-here-changed' })
    else plan.left.push({ path, why: base ? 'both-changed' : 'was-here' })
  }
  return plan
}

/** The paths that the user has to decide about: both sides changed. */
export const conflictsOf = ({ left }: Pick<PullPlan, 'left'>) =>
  left.filter(({ why }) => why !== 'only-here-changed')
