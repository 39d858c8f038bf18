import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { userExcludes } from './user-excludes.ts'

let home: string
let folder: string
let env: Record<string, string | undefined>
beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'farhand-home-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  folder = path.join(home, 'project')
  mkdirSync(folder)
  execFileSync('git', ['init', '-q', folder])
  env = { PATH: process.env.PATH, HOME: home }
})

const asked = (more = {}) => userExcludes(folder, { env: { ...env, ...more }, home })

it("is git's own default where nothing is set", async () => {
  expect(await asked()).toBe(path.join(home, '.config/git/ignore'))
  expect(await asked({ XDG_CONFIG_HOME: '/xdg' })).toBe('/xdg/git/ignore')
  expect(await asked({ PATH: '/nowhere' })).toBe(path.join(home, '.config/git/ignore'))
})

it('is what the user has set, for all repositories or for this one', async () => {
  writeFileSync(path.join(home, '.gitconfig'), '[core]\n\texcludesFile = ~/mine\n')
  expect(await asked()).toBe(path.join(home, 'mine'))
  execFileSync('git', ['-C', folder, 'config', 'core.excludesFile', '/elsewhere'])
  expect(await asked()).toBe('/elsewhere')
  execFileSync('git', ['-C', folder, 'config', 'core.excludesFile', ''])
  expect(await asked()).toBeNull()
})

it('is what the user has set in settings that they keep elsewhere', async () => {
  writeFileSync(path.join(home, 'settings'), '[core]\n\texcludesFile = ~/mine\n')
  expect(await asked({ GIT_CONFIG_GLOBAL: path.join(home, 'settings') })).toBe(path.join(home, 'mine'))
})

it('is not what a file in the folder says, which an agent may have written', async () => {
  writeFileSync(path.join(home, '.gitconfig'), '[core]\n\texcludesFile = ~/mine\n')
  execFileSync('git', ['-C', folder, 'config', 'include.path', '../.gitconfig'])
  writeFileSync(path.join(folder, '.gitconfig'), '[core]\n\texcludesFile = /dev/null\n')
  expect(await asked()).toBe(path.join(home, 'mine'))
})
