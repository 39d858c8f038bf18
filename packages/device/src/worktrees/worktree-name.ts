import path from 'node:path'

const mostWords = 5
const mostLetters = 32
const container = '.worktrees'

/** What a worktree is called after: the first words of what its agent is told, as they may stand in a path and in a branch. */
export function slugOf(prompt: string | undefined): string {
  const words = (prompt ?? '')
    .normalize('NFKD')
    .slice(0, 200)
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  const slug = words.slice(0, mostWords).join('-').slice(0, mostLetters).replace(/-$/, '')
  return slug === '' ? 'run' : slug
}

export type WorktreeName = { root: string; branch: string }

/** The folder in which the worktrees of a repository lie: beside it, and not one in the other. */
export function worktreesOf(top: string): string {
  const above = path.dirname(top)
  return above.endsWith(container) ? above : `${top}${container}`
}

/** The `attempt`th name of a worktree in this folder; the first has no number. */
export function worktreeName(inside: string, slug: string, attempt: number): WorktreeName {
  const name = attempt === 1 ? slug : `${slug}-${attempt}`
  return { root: path.join(inside, name), branch: `farhand/${name}` }
}
