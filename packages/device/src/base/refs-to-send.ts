/** A name in a repository, and the object and, through tags, the commit that it stands for. */
export type Ref = { name: string; object: string; commit: string }

export type RefPosition = {
  /** `refs/heads/main`; null if HEAD stands at no branch. */
  branch: string | null
  /** `refs/remotes/origin/main`; null if the branch follows nothing that is here. */
  upstream: string | null
  /** What the remote calls its main branch, as it is known here. */
  mainThere: string | null
}

const mostTags = 500

/**
 * Which names go along with a run: where one stands, what that is compared with, and tags that lead there. Other branches are
 * somebody else's work, and the stash is private.
 */
export function refsToSend(all: readonly Ref[], { branch, upstream, mainThere }: RefPosition): Ref[] {
  const mainHere = mainThere?.replace(/^refs\/remotes\/[^/]+\//, 'refs/heads/') ?? null
  const wanted = new Set([branch, upstream, mainThere, mainHere])
  const tags = all.filter(({ name }) => name.startsWith('refs/tags/')).slice(0, mostTags)
  return [...all.filter(({ name }) => wanted.has(name)), ...tags]
}
