import { lstatSync } from 'node:fs'
import path from 'node:path'
import { gitEnv, runGit } from '@farhand/device/git/run-git'
import { gitAsUser } from '@farhand/device/pull-requests/git-as-user'
import { Trouble } from '@farhand/device/trouble/trouble'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { repositoriesAmong } from '@farhand/sync/disk/git/repository-guard'
import type { CommandContext } from '../context/command-context.ts'
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
  context: CommandContext,
): Promise<TakenBranch> {
  const { repository } = run
  const { stop: signal } = context
  const ref = `refs/heads/${branch}`
  const was = (await repository.refs(ref, signal)).get(ref) ?? null
  if (was === sha) return { branch, sha, was, isCheckedOut: false }
  if (was !== null && !(await repository.isAncestor(was, sha, signal)))
    throw new Trouble(
      'failed',
      `Your ${branch} has commits that the agent's branch does not have: it cannot be fast-forwarded.`,
      `\`git merge\` or \`git cherry-pick\` brings them together. Nothing was changed.`,
    )
  await refuseRepositories(run, was, sha, context)
  const holder = await checkedOutIn(run, ref, context)
  if (holder === null) {
    const words = ['update-ref', '--create-reflog', '-m', 'farhand: taken from the agent']
    await asUser(run, context, ...words, ref, sha, was ?? '0'.repeat(40))
    return { branch, sha, was, isCheckedOut: false }
  }
  if (holder !== repository.folder)
    throw new Trouble(
      'failed',
      `${branch} is checked out in ${holder}.`,
      'Run this command there, or rename the branch with git branch.',
    )
  await goForward(run, branch, sha, context)
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
  { stop: signal }: CommandContext,
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
  { stop: signal }: CommandContext,
): Promise<string | null> {
  const listed = await run.repository.text(['worktree', 'list', '--porcelain'], { signal })
  const found = listed.split('\n\n').find((one) => one.split('\n').includes(`branch ${ref}`))
  return /^worktree (.*)$/m.exec(found ?? '')?.[1] ?? null
}

async function goForward(
  run: RunToFinish,
  branch: string,
  sha: string,
  context: CommandContext,
): Promise<void> {
  const git = (...args: string[]) => gitAsUser(args, run.repository, context)
  const staged = await git('diff', '--cached', '--quiet', '--no-ext-diff', '--no-textconv')
  if (staged?.code !== 0)
    throw new Trouble(
      'failed',
      'Something is staged, and would be mixed up with what the agent has committed.',
      '`git commit` or `git restore --staged .` first. Nothing was changed.',
    )
  // In a linked folder the files are already there, and git would refuse to overwrite them.
  if (await isAsIn(run, sha, context)) return await asUser(run, context, 'reset', '--quiet', '--mixed', sha)
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
async function isAsIn(run: RunToFinish, sha: string, { stop: signal }: CommandContext): Promise<boolean> {
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

async function asUser(run: RunToFinish, context: CommandContext, ...args: string[]): Promise<void> {
  const ended = await gitAsUser(args, run.repository, context)
  if (ended?.code === 0) return
  const said = ended?.said.trim().split('\n')[0] ?? 'git is not installed'
  throw new Trouble('failed', `Git refused: ${said}`, 'Nothing was changed.')
}
