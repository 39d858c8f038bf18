/** How the commit to push relates to the remote branch of the same name. */
export type BranchComparison = {
  /** The remote branch's commit; null if there is no such branch. */
  there: string | null
  /** Whether this run pushed it. */
  isOurs: boolean
  /** The agent's newest commit, and the tree that the branch is to have in the end. */
  tip: string
  tree: string
  tipTree: string
  thereTree: string | null
  /** Whether the remote branch contains the agent's newest commit, or the other way around. */
  thereHasTip: boolean
  tipHasThere: boolean
  /** The user wants to replace what was pushed before. */
  force: boolean
}

export type PushPlan =
  | { is: 'same' }
  | { is: 'foreign' }
  /** `commit`: the parents of a new commit with that tree; null to push the agent's newest commit itself. */
  | { is: 'push'; commit: string[] | null; lease: string | null }

/** Decides what to push so that the branch only grows, unless `force` replaces it. */
export function planPush(comparison: BranchComparison): PushPlan {
  const { there, isOurs, tip, tree, tipTree, thereTree, thereHasTip, tipHasThere, force } = comparison
  const fresh = tree === tipTree ? null : [tip]
  if (there === null) return { is: 'push', commit: fresh, lease: null }
  if (!isOurs) return { is: 'foreign' }
  if (thereHasTip && thereTree === tree) return { is: 'same' }
  if (tipHasThere) return { is: 'push', commit: fresh, lease: null }
  if (force) return { is: 'push', commit: fresh, lease: there }
  return { is: 'push', commit: thereHasTip ? [there] : [there, tip], lease: null }
}
