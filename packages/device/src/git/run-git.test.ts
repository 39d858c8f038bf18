import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { RepositoryUnderTest } from '../base/repository-under-test.ts'
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

it('no monitor is started, whoever has set one', async () => {
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
