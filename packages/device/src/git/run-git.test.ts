import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { RepositoryUnderTest } from '../base/repository-under-test.ts'
import { UserRepository } from '../commits/user-repository.ts'
import { openRepository } from './find-repository.ts'
import { runGit } from './run-git.ts'

// Other things keep a run from getting this far. These hold where those do not, so each is tried by itself.
function trap() {
  const laptop = new RepositoryUnderTest()
  laptop.commit({ 'a.txt': 'one\n' })
  const sprung = path.join(laptop.home, 'sprung')
  const options = { cwd: laptop.folder, env: laptop.env }
  return { laptop, options, command: `touch ${sprung}; false`, isSprung: () => existsSync(sprung) }
}

it('a folder with HEAD, objects and refs is no repository for a call that names none', async () => {
  const { laptop, options } = trap()
  laptop.write({ 'lib/HEAD': 'ref: refs/heads/main\n', 'lib/config': '[core]\n\tbare = true\n' })
  for (const name of ['objects', 'refs']) mkdirSync(path.join(laptop.folder, 'lib', name))
  const cwd = path.join(laptop.folder, 'lib')
  expect(laptop.gitIn(cwd, 'rev-parse', '--git-dir')).toBe('.')
  await expect(runGit(['rev-parse', '--git-dir'], { ...options, cwd })).rejects.toThrow(/cannot use bare/)
})

it('no monitor is started, even if the user has set one', async () => {
  const { laptop, options, command, isSprung } = trap()
  laptop.git('config', 'core.fsmonitor', command)
  await runGit(['status'], options)
  expect(isSprung()).toBe(false)
  laptop.git('status')
  expect(isSprung()).toBe(true)
})

it('no hook is run from a folder that a run writes to, as many teams have one', async () => {
  const { laptop, options, command, isSprung } = trap()
  laptop.git('config', 'core.hooksPath', '.husky')
  laptop.write({ '.husky/reference-transaction': `#!/bin/sh\n${command}\nexit 0\n` })
  chmodSync(path.join(laptop.folder, '.husky/reference-transaction'), 0o755)
  await runGit(['update-ref', 'refs/farhand/x', 'HEAD'], options)
  expect(isSprung()).toBe(false)
  laptop.git('update-ref', 'refs/farhand/y', 'HEAD')
  expect(isSprung()).toBe(true)
})

it('a filter is disabled under any name, also if git -c would end the name at its =', async () => {
  const { laptop, options, command, isSprung } = trap()
  laptop.git('config', 'include.path', '../.gitconfig')
  laptop.write({
    '.gitconfig': `[filter "a=b"]\n\tclean = "${command}"\n`,
    '.gitattributes': 'a.txt filter=a=b\n',
    'a.txt': 'two\n',
  })
  const { signal } = new AbortController()
  const found = (await openRepository(laptop.folder, [], { env: laptop.env, signal }))!
  await runGit(['add', 'a.txt'], { ...options, at: found.place })
  expect(isSprung()).toBe(false)
  laptop.write({ 'a.txt': 'three\n' })
  laptop.git('add', 'a.txt')
  expect(isSprung()).toBe(true)
})

it('a program of the shared settings that lies in another work tree of the repository is not run either', async () => {
  const { laptop, command, isSprung } = trap()
  const beside = path.join(laptop.home, 'beside')
  laptop.write({ 'tools/tidy.sh': `#!/bin/sh\n${command}\ncat\n` })
  chmodSync(path.join(laptop.folder, 'tools/tidy.sh'), 0o755)
  laptop.git('config', 'filter.tidy.clean', path.join(laptop.folder, 'tools/tidy.sh'))
  laptop.git('worktree', 'add', '-q', beside)
  writeFileSync(path.join(beside, '.gitattributes'), 'a.txt filter=tidy\n')
  writeFileSync(path.join(beside, 'a.txt'), 'two\n')
  const { signal } = new AbortController()
  const found = (await openRepository(beside, [], { env: laptop.env, signal }))!
  await runGit(['add', 'a.txt'], { cwd: beside, env: laptop.env, at: found.place })
  expect(isSprung()).toBe(false)
  writeFileSync(path.join(beside, 'a.txt'), 'three\n')
  laptop.gitIn(beside, 'add', 'a.txt')
  expect(isSprung()).toBe(true)
})

it.each([
  [
    'packages of the folder, as npx has it',
    (folder: string) => `${folder}/node_modules/.bin`,
    'node_modules/.bin',
  ],
  ['a folder in it', (folder: string) => `${folder}/bin`, 'bin'],
  ['the current folder', () => '.', ''],
  ['nowhere, which is the same for a shell', () => '', ''],
])('git is not what a run has left under that name on the PATH: %s', async (_, entry, below) => {
  const { laptop, options, command, isSprung } = trap()
  const fake = path.join(laptop.folder, below, 'git')
  mkdirSync(path.dirname(fake), { recursive: true })
  writeFileSync(fake, `#!/bin/sh\n${command}\n`, { mode: 0o755 })
  const env = { ...laptop.env, PATH: `${entry(laptop.folder)}:${laptop.env.PATH}` }
  const { signal } = new AbortController()
  await runGit(['status'], { ...options, env })
  const repository = (await UserRepository.around(laptop.folder, env, signal))!
  await repository.run(['rev-parse', 'HEAD'])
  expect(isSprung()).toBe(false)
})
