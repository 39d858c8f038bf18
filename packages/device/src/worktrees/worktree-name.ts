import path from 'node:path'

const mostWords = 5
const mostLetters = 32
const container = '.worktrees'

/** The name of a worktree: the first words of the prompt, in characters that fit into a path and a branch name. */
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

/** The folder for the worktrees of a repository, beside it. A worktree's own worktrees go there, too. */
export function worktreesFolder(top: string): string {
  const above = path.dirname(top)
  return above.endsWith(container) ? above : `${top}${container}`
}

/** The name of a worktree; from the second attempt on with a number. */
export function worktreeName(inside: string, slug: string, attempt: number): WorktreeName {
  const name = attempt === 1 ? slug : `${slug}-${attempt}`
  return { root: path.join(inside, name), branch: `farhand/${name}` }
}
