import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { worktreesFolder } from './worktree-name.ts'
import { addWorktree, findOrigin, type Origin, removeWorktree, unsavedFiles } from './worktrees.ts'

const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
const given = { env: { PATH: process.env.PATH }, signal: new AbortController().signal }

/** A repository with one commit, in a folder of its own. */
function repository() {
  const above = realpathSync(mkdtempSync(path.join(tmpdir(), 'farhand-worktrees-')))
  onTestFinished(() => rmSync(above, { recursive: true, force: true }))
  const top = path.join(above, 'tool')
  mkdirSync(top)
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.test', ...args], {
      cwd,
      env,
      encoding: 'utf8',
    })
  git(top, 'init', '-q', '-b', 'main')
  writeFileSync(path.join(top, 'a.txt'), 'one\n')
  git(top, 'add', '.')
  git(top, 'commit', '-q', '-m', 'first')
  const add = async (prompt: string) => {
    const origin = (await findOrigin(top, given)) as Origin
    return await addWorktree(origin, { inside: worktreesFolder(top), prompt }, given)
  }
  return { above, top, git, add }
}

it('a worktree has the files of the commit, on a branch of its own, and a second one has another name', async () => {
  const { top, git, add } = repository()
  writeFileSync(path.join(top, 'a.txt'), 'changed\n')
  expect(await findOrigin(top, given)).toMatchObject({ top, uncommitted: 1 })
  const first = await add('Fix it')
  expect(first).toMatchObject({ root: `${top}.worktrees/fix-it`, branch: 'farhand/fix-it', of: top })
  expect(readFileSync(path.join(first.root, 'a.txt'), 'utf8')).toBe('one\n')
  expect(git(first.root, 'branch', '--show-current').trim()).toBe('farhand/fix-it')
  expect((await add('Fix it')).branch).toBe('farhand/fix-it-2')
})

it('what a worktree has that is nowhere else is found, files that git ignores too, and keeps it there', async () => {
  const { add } = repository()
  const { root, branch, of } = await add('x')
  expect(await unsavedFiles(root, given)).toEqual([])
  mkdirSync(path.join(root, '.farhand'))
  writeFileSync(path.join(root, '.farhand/.gitignore'), '*\n')
  expect(await unsavedFiles(root, given)).toEqual([])
  writeFileSync(path.join(root, '.gitignore'), 'cache\n')
  writeFileSync(path.join(root, 'cache'), '')
  expect((await unsavedFiles(root, given)).sort()).toEqual(['.gitignore', 'cache'])
  await expect(removeWorktree({ root, branch, of }, { discard: false }, given)).rejects.toThrow('worktree')
  expect(existsSync(root)).toBe(true)
  expect(await removeWorktree({ root, branch, of }, { discard: true }, given)).toEqual({ branchStays: false })
  expect([existsSync(root), existsSync(`${of}.worktrees`)]).toEqual([false, false])
})

it('a branch with commits of its own stays when its worktree is removed', async () => {
  const { git, add } = repository()
  const worktree = await add('x')
  writeFileSync(path.join(worktree.root, 'b.txt'), '')
  git(worktree.root, 'add', '.')
  git(worktree.root, 'commit', '-q', '-m', 'more')
  expect(await removeWorktree(worktree, { discard: false }, given)).toEqual({ branchStays: true })
  expect(git(worktree.of, 'log', '-1', '--format=%s', 'farhand/x').trim()).toBe('more')
})

it('without a repository or a commit it says so', async () => {
  const { above } = repository()
  const empty = path.join(above, 'empty')
  mkdirSync(empty)
  expect(await findOrigin(empty, given)).toMatchObject({ why: 'no-repository' })
  execFileSync('git', ['init', '-q', empty], { env })
  expect(await findOrigin(empty, given)).toMatchObject({ why: 'no-commit' })
})

it('nothing that lies in the repository is run when a worktree is made or removed', async () => {
  const { top, git, add } = repository()
  const hook = path.join(top, '.git/hooks/post-checkout')
  const proof = path.join(top, '.git/proof')
  mkdirSync(path.dirname(hook), { recursive: true })
  writeFileSync(hook, `#!/bin/sh\necho hook >> ${proof}\n`)
  writeFileSync(path.join(top, 'evil.sh'), `#!/bin/sh\necho filter >> ${proof}\ncat\n`)
  writeFileSync(path.join(top, '.gitattributes'), '*.txt filter=evil\n')
  for (const file of [hook, path.join(top, 'evil.sh')]) chmodSync(file, 0o755)
  git(top, 'config', 'filter.evil.smudge', './evil.sh')
  git(top, 'config', 'core.fsmonitor', './evil.sh')
  git(top, '-c', 'core.fsmonitor=false', 'add', '.')
  git(top, '-c', 'core.fsmonitor=false', 'commit', '-q', '-m', 'evil')
  rmSync(proof, { force: true })
  const worktree = await add('x')
  await unsavedFiles(worktree.root, given)
  await removeWorktree(worktree, { discard: true }, given)
  expect(existsSync(proof)).toBe(false)
})
