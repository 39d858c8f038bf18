import { lstatSync } from 'node:fs'
import path from 'node:path'
import { gitEnv, runGit } from '@farhand/device/base/run-git'
import { Trouble } from '../trouble.ts'
import type { World } from '../world.ts'
import { programAsUser } from './program-as-user.ts'
import type { RunToFinish } from './run-to-finish.ts'

/** Hooks may lie in the work tree, where the agent had its hands on them: nothing of those is run by this. */
const untouched = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false']

export type TookBranch = { branch: string; sha: string; was: string | null; isCheckedOut: boolean }

/**
 * Makes a branch of the user's stand where the agent's does, if it only has to go forward. Where it is checked out, the index
 * follows, and files too unless they are what the commit has already, as in a linked folder. No hook is run.
 */
export async function takeBranch(
  run: RunToFinish,
  branch: string,
  sha: string,
  world: World,
): Promise<TookBranch> {
  const { repository } = run
  const { stop: signal } = world
  const ref = `refs/heads/${branch}`
  const was = (await repository.refs(ref, signal)).get(ref) ?? null
  if (was === sha) return { branch, sha, was, isCheckedOut: false }
  if (was !== null && !(await repository.isAncestor(was, sha, signal)))
    throw new Trouble(
      'failed',
      `Your ${branch} has commits that the agent's has not: it would not only go forward.`,
      `\`git merge\` or \`git cherry-pick\` brings them together. Nothing was changed.`,
    )
  const holder = await checkedOutIn(run, ref, world)
  if (holder === null) {
    const words = ['update-ref', '--create-reflog', '-m', 'farhand: taken from the agent']
    await asUser(run, world, ...words, ref, sha, was ?? '0'.repeat(40))
    return { branch, sha, was, isCheckedOut: false }
  }
  if (holder !== repository.folder)
    throw new Trouble(
      'failed',
      `${branch} is checked out in ${holder}.`,
      'Say this again there, or name it otherwise with git branch.',
    )
  await goForward(run, branch, sha, world)
  return { branch, sha, was, isCheckedOut: true }
}

async function checkedOutIn(run: RunToFinish, ref: string, { stop: signal }: World): Promise<string | null> {
  const listed = await run.repository.text(['worktree', 'list', '--porcelain'], { signal })
  const found = listed.split('\n\n').find((one) => one.split('\n').includes(`branch ${ref}`))
  return /^worktree (.*)$/m.exec(found ?? '')?.[1] ?? null
}

async function goForward(run: RunToFinish, branch: string, sha: string, world: World): Promise<void> {
  const { folder } = run.repository
  const git = (...args: string[]) => programAsUser('git', [...untouched, ...args], folder, world)
  const staged = await git('diff', '--cached', '--quiet')
  if (staged?.code !== 0)
    throw new Trouble(
      'failed',
      'Something is staged, and would be mixed up with what the agent has committed.',
      '`git commit` or `git restore --staged .` first. Nothing was changed.',
    )
  // In a linked folder the files are there already, and git would refuse to write over them.
  if (await isAsIn(run, sha, world)) return await asUser(run, world, 'reset', '--quiet', '--mixed', sha)
  const merged = await git('merge', '--quiet', '--ff-only', '--no-stat', sha)
  if (merged?.code === 0) return
  const said = merged?.said.trim().split('\n').slice(0, 4).join('\n  ') ?? ''
  throw new Trouble(
    'failed',
    `${branch} is checked out here, and its files are neither as before nor as the agent has them:\n  ${said}`,
    'Commit or put away your changes first. Nothing was changed.',
  )
}

/** Whether all that a commit changes is in the folder just as it has that, also files that git does not know of yet. */
async function isAsIn(run: RunToFinish, sha: string, { stop: signal }: World): Promise<boolean> {
  const { repository, scratch } = run
  const env = { ...gitEnv(repository.env), GIT_INDEX_FILE: path.join(scratch, 'index-of-commit') }
  const git = async (...args: string[]) =>
    (await runGit([...untouched, ...args], { cwd: repository.folder, env, signal }))
      .toString('utf8')
      .split('\0')
      .slice(0, -1)
  await git('read-tree', sha)
  // It says by its code that files differ, which is what comes next.
  await git('update-index', '-q', '--refresh').catch(() => [])
  const differ = new Set(await git('diff-files', '--name-only', '-z'))
  const changed = await git('diff', '--no-renames', '--name-status', '-z', 'HEAD', sha)
  for (let n = 0; n + 1 < changed.length; n += 2) {
    const [status, name] = [changed[n]!, changed[n + 1]!]
    if (status === 'D' ? isThere(path.join(repository.folder, name)) : differ.has(name)) return false
  }
  return true
}

const isThere = (place: string) => lstatSync(place, { throwIfNoEntry: false }) !== undefined

async function asUser(run: RunToFinish, world: World, ...args: string[]): Promise<void> {
  const ended = await programAsUser('git', [...untouched, ...args], run.repository.folder, world)
  if (ended?.code === 0) return
  const said = ended?.said.trim().split('\n')[0] ?? 'there is no git'
  throw new Trouble('failed', `Git refused: ${said}`, 'Nothing was changed.')
}
