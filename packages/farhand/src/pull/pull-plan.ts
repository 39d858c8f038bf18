import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'

export type Entries = ReadonlyMap<WorkspacePath, FileEntry>

/** A path that the folder takes from the run. */
export type Brought = { path: WorkspacePath; from: FileEntry | null; to: FileEntry | null }

/** A path that stays as it is here though the run has something else. */
export type Left = {
  path: WorkspacePath
  why: 'both-changed' | 'was-here' | 'deleted-there' | 'only-here-changed'
}

export type PullPlan = {
  brought: Brought[]
  /** Versions that are only here, and are overwritten because somebody insists: to be kept before that. */
  overwritten: { path: WorkspacePath; entry: FileEntry }[]
  left: Left[]
  /** Files that are here as the run has them. */
  same: number
}

/**
 * What a pull does, from three trees: what the run has, what was pulled last, and what is here. What changed on one side
 * only is clear; what both changed stays, unless somebody insists. Nothing is deleted that was not pulled just like that.
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

/** Those that somebody has to decide about: both sides have something of their own. */
export const conflictsOf = ({ left }: Pick<PullPlan, 'left'>) =>
  left.filter(({ why }) => why !== 'only-here-changed')
