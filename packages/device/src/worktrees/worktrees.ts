import { existsSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import { GitFailed } from '@farhand/runner/checkpoints/git/git-process'
import { findGitTop, openRepository } from '../git/find-repository.ts'
import { type GitEnv, type GitPlace, gitEnv, runGit } from '../git/run-git.ts'
import { slugOf, type WorktreeName, worktreeName } from './worktree-name.ts'

type Given = { env: GitEnv; signal: AbortSignal }

export type Origin = {
  top: string
  place: GitPlace
  /** The commit of HEAD. */
  head: string
  uncommitted: number
}

/** Why a folder cannot have a worktree. */
export type NoOrigin = { why: 'no-repository' | 'no-commit' | 'no-git' | 'refused'; says: string }

export type Worktree = WorktreeName & {
  of: string
  head: string
}

/** The repository around a folder, or why it cannot have a worktree. */
export async function findOrigin(folder: string, { env, signal }: Given): Promise<Origin | NoOrigin> {
  const top = findGitTop(folder)
  if (top === null) return { why: 'no-repository', says: `${folder} is not in a git repository` }
  try {
    const found = await openRepository(top, [], { env, signal })
    if (!found) return { why: 'refused', says: `git uses another repository than ${top}/.git` }
    const git = async (...args: string[]) =>
      (await runGit(args, { cwd: top, env: gitEnv(env), at: found.place, signal })).toString('utf8')
    const head = await git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}').catch(() => '')
    if (head === '') return { why: 'no-commit', says: `${top} has no commit yet` }
    const changed = await git('status', '--porcelain', '-z')
    return {
      top,
      place: found.place,
      head: head.trim(),
      uncommitted: changed.split('\0').filter((line) => line !== '').length,
    }
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error
    return { why: error.code === null ? 'no-git' : 'refused', says: error.message }
  }
}

const mostAttempts = 50

/** Makes a worktree on a new branch, at the commit of HEAD. */
export async function addWorktree(
  { top, place, head }: Origin,
  { inside, prompt }: { inside: string; prompt: string | undefined },
  { env, signal }: Given,
): Promise<Worktree> {
  const options = { cwd: top, env: gitEnv(env), at: place, signal }
  const slug = slugOf(prompt)
  const hasBranch = async (branch: string) =>
    runGit(['show-ref', '--verify', '--quiet', `refs/heads/${branch}`], options).then(
      () => true,
      () => false,
    )
  for (let attempt = 1; ; attempt += 1) {
    const { root, branch } = worktreeName(inside, slug, attempt)
    const isTaken = existsSync(root) || (await hasBranch(branch))
    if (isTaken && attempt < mostAttempts) continue
    try {
      await runGit(['worktree', 'add', '--quiet', '--no-track', '-b', branch, root, head], options)
      return { root, branch, of: top, head }
    } catch (error) {
      // Another command may have taken the name in the meantime.
      const isLost = !isTaken && (existsSync(root) || (await hasBranch(branch)))
      if (!isLost || attempt >= mostAttempts || signal.aborted) throw error
    }
  }
}

/** The files that would be lost with a worktree: uncommitted and ignored ones. */
export async function unsavedFiles(root: string, { env, signal }: Given): Promise<string[]> {
  const found = await openRepository(root, [], { env, signal })
  if (!found) throw new Error(`${root} is no worktree any more`)
  const options = { cwd: root, env: gitEnv(env), at: found.place, signal }
  const args = ['status', '--porcelain', '-z', '--ignored=traditional', '--no-renames']
  const printed = (await runGit(args, options)).toString('utf8')
  const files = printed.split('\0').flatMap((line) => (line === '' ? [] : [line.slice(3)]))
  return files.filter((file) => file !== '.farhand/' && !file.startsWith('.farhand/'))
}

/**
 * Removes a worktree, and its branch if that has no commits of its own. With unsaved files git refuses, unless
 * `discard`. Returns whether the branch stays.
 */
export async function removeWorktree(
  { root, branch, of }: Pick<Worktree, 'root' | 'branch' | 'of'>,
  { discard }: { discard: boolean },
  { env, signal }: Given,
): Promise<{ branchStays: boolean }> {
  const found = await openRepository(of, [], { env, signal })
  if (!found) throw new Error(`${of} is no repository any more`)
  const options = { cwd: of, env: gitEnv(env), at: found.place, signal }
  if (existsSync(root))
    await runGit(['worktree', 'remove', ...(discard ? ['--force', '--force'] : []), root], options)
  else await runGit(['worktree', 'prune'], options)
  removeIfEmpty(path.dirname(root))
  const deleted = await runGit(['branch', '-d', branch], options).then(
    () => true,
    () => false,
  )
  return { branchStays: !deleted }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It contains other worktrees.
  }
}
