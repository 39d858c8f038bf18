/** A ref, its object, and the commit that it leads to. */
export type Ref = { name: string; object: string; commit: string }

export type RefPosition = {
  /** For example `refs/heads/main`; null if HEAD is detached. */
  branch: string | null
  /** For example `refs/remotes/origin/main`; null if the branch has no upstream here. */
  upstream: string | null
  /** The remote's main branch, as far as it is known here. */
  mainThere: string | null
}

const mostTags = 500

/**
 * The refs to send with a run: the current branch, its upstream, the main branch, and tags in its history. Other
 * branches are not part of the work, and the stash is private.
 */
export function refsToSend(all: readonly Ref[], { branch, upstream, mainThere }: RefPosition): Ref[] {
  const mainHere = mainThere?.replace(/^refs\/remotes\/[^/]+\//, 'refs/heads/') ?? null
  const wanted = new Set([branch, upstream, mainThere, mainHere])
  const tags = all.filter(({ name }) => name.startsWith('refs/tags/')).slice(0, mostTags)
  return [...all.filter(({ name }) => wanted.has(name)), ...tags]
}
