import { lstatSync } from 'node:fs'
import path from 'node:path'
import { repositoriesAmong } from '@farhand/sync/disk/git/repository-guard'
import { gitEnv, runGit } from '../git/run-git.ts'
import { Trouble } from '../trouble/trouble.ts'
import { pathInWords } from '../wording/path-in-words.ts'
import { gitAsUser } from './git-as-user.ts'
import type { StartedBy } from './program-as-user.ts'
import type { RunToFinish } from './run-to-finish.ts'

export type TakenBranch = { branch: string; sha: string; was: string | null; isCheckedOut: boolean }

/**
 * Fast-forwards a branch of the user's to the agent's. If the branch is checked out, the index follows, and the files
 * too unless they already match, as in a linked folder. No hook is run.
 */
export async function takeBranch(
  run: RunToFinish,
  branch: string,
  sha: string,
  by: StartedBy,
): Promise<TakenBranch> {
  const { repository } = run
  const { stop: signal } = by
  const ref = `refs/heads/${branch}`
  const was = (await repository.refs(ref, signal)).get(ref) ?? null
  if (was === sha) return { branch, sha, was, isCheckedOut: false }
  if (was !== null && !(await repository.isAncestor(was, sha, signal)))
    throw new Trouble(
      'failed',
      `Your ${branch} has commits that the agent's branch does not have: it cannot be fast-forwarded.`,
      `\`git merge\` or \`git cherry-pick\` brings them together. Nothing was changed.`,
    )
  await refuseRepositories(run, was, sha, by)
  const holder = await checkedOutIn(run, ref, by)
  if (holder === null) {
    const words = ['update-ref', '--create-reflog', '-m', 'farhand: taken from the agent']
    await asUser(run, by, ...words, ref, sha, was ?? '0'.repeat(40))
    return { branch, sha, was, isCheckedOut: false }
  }
  if (holder !== repository.folder)
    throw new Trouble(
      'failed',
      `${branch} is checked out in ${holder}.`,
      'Run this command there, or rename the branch with git branch.',
    )
  await goForward(run, branch, sha, by)
  return { branch, sha, was, isCheckedOut: true }
}

/**
 * Refuses commits with nested repositories: git would write them to the disk, and later run the programs that their
 * settings name.
 */
async function refuseRepositories(
  { repository }: RunToFinish,
  was: string | null,
  sha: string,
  { stop: signal }: StartedBy,
): Promise<void> {
  const among = async (commit: string) => {
    const listed = await repository.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit], {
      signal,
    })
    return repositoriesAmong(listed.toString('utf8').split('\0').slice(0, -1))
  }
  const before = new Set(was ? await among(was) : [])
  const found = (await among(sha)).filter((folder) => !before.has(folder))
  if (found.length === 0) return
  throw new Trouble(
    'failed',
    `The commits of the agent have a folder that git would take for a repository: ${found.map(pathInWords).join(', ')}.`,
    'Git would run the programs that its settings name. Look at them with `git ls-tree`; `git merge` takes them all the same.',
  )
}

async function checkedOutIn(
  run: RunToFinish,
  ref: string,
  { stop: signal }: StartedBy,
): Promise<string | null> {
  const listed = await run.repository.text(['worktree', 'list', '--porcelain'], { signal })
  const found = listed.split('\n\n').find((one) => one.split('\n').includes(`branch ${ref}`))
  return /^worktree (.*)$/m.exec(found ?? '')?.[1] ?? null
}

async function goForward(run: RunToFinish, branch: string, sha: string, by: StartedBy): Promise<void> {
  const git = (...args: string[]) => gitAsUser(args, run.repository, by)
  const staged = await git('diff', '--cached', '--quiet', '--no-ext-diff', '--no-textconv')
  if (staged?.code !== 0)
    throw new Trouble(
      'failed',
      'Something is staged, and would be mixed up with what the agent has committed.',
      '`git commit` or `git restore --staged .` first. Nothing was changed.',
    )
  // In a linked folder the files are already there, and git would refuse to overwrite them.
  if (await isAsIn(run, sha, by)) return await asUser(run, by, 'reset', '--quiet', '--mixed', sha)
  const merged = await git('merge', '--quiet', '--ff-only', '--no-stat', sha)
  if (merged?.code === 0) return
  const said = merged?.said.trim().split('\n').slice(0, 4).join('\n  ') ?? ''
  throw new Trouble(
    'failed',
    `${branch} is checked out here, and its files match neither your commit nor the agent's:\n  ${said}`,
    'Commit or stash your changes first. Nothing was changed.',
  )
}

/** Whether the folder already has all changes of a commit, including files that git does not track yet. */
async function isAsIn(run: RunToFinish, sha: string, { stop: signal }: StartedBy): Promise<boolean> {
  const { repository, scratch } = run
  const env = { ...gitEnv(repository.env), GIT_INDEX_FILE: path.join(scratch, 'index-of-commit') }
  const git = async (...args: string[]) =>
    (await runGit(args, { cwd: repository.folder, env, at: repository.place, signal }))
      .toString('utf8')
      .split('\0')
      .slice(0, -1)
  await git('read-tree', sha)
  // Its exit code says that files differ; the next command lists them.
  await git('update-index', '-q', '--refresh').catch(() => [])
  const differ = new Set(await git('diff-files', '--name-only', '-z'))
  const changed = await git(
    'diff',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--name-status',
    '-z',
    'HEAD',
    sha,
  )
  for (let n = 0; n + 1 < changed.length; n += 2) {
    const [status, name] = [changed[n]!, changed[n + 1]!]
    if (status === 'D' ? isThere(path.join(repository.folder, name)) : differ.has(name)) return false
  }
  return true
}

const isThere = (place: string) => lstatSync(place, { throwIfNoEntry: false }) !== undefined

async function asUser(run: RunToFinish, by: StartedBy, ...args: string[]): Promise<void> {
  const ended = await gitAsUser(args, run.repository, by)
  if (ended?.code === 0) return
  const said = ended?.said.trim().split('\n')[0] ?? 'git is not installed'
  throw new Trouble('failed', `Git refused: ${said}`, 'Nothing was changed.')
}
