/** How what is to be pushed relates to what the remote has under the same name. */
export type Standing = {
  /** What the remote has there; null if nothing. */
  there: string | null
  /** Whether that is known to be of this run. */
  isOurs: boolean
  /** The commit at which the agent stands, and the tree that the branch is to have in the end. */
  tip: string
  tree: string
  tipTree: string
  thereTree: string | null
  /** Whether what is there has all that the agent has committed, or is itself a part of that. */
  thereHasTip: boolean
  tipHasThere: boolean
  /** Somebody wants the branch as if nothing had been pushed before. */
  force: boolean
}

export type PushPlan =
  | { is: 'same' }
  | { is: 'foreign' }
  /** `commit` are the parents of a new commit with that tree; null if the agent's own newest one is pushed. */
  | { is: 'push'; commit: string[] | null; lease: string | null }

/** What is pushed so that the branch only ever grows, unless somebody asks for it to be made anew. */
export function planPush(standing: Standing): PushPlan {
  const { there, isOurs, tip, tree, tipTree, thereTree, thereHasTip, tipHasThere, force } = standing
  const fresh = tree === tipTree ? null : [tip]
  if (there === null) return { is: 'push', commit: fresh, lease: null }
  if (!isOurs) return { is: 'foreign' }
  if (thereHasTip && thereTree === tree) return { is: 'same' }
  if (tipHasThere) return { is: 'push', commit: fresh, lease: null }
  if (force) return { is: 'push', commit: fresh, lease: there }
  return { is: 'push', commit: thereHasTip ? [there] : [there, tip], lease: null }
}
