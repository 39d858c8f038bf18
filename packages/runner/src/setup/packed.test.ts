import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { unpack } from './packed.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'farhand-packed-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const tar = (cwd: string, ...args: string[]) => {
  const file = join(folder(), 'pack.tgz')
  execFileSync('tar', ['-czPf', file, ...args], { cwd, stdio: ['ignore', 'ignore', 'ignore'] })
  return file
}

const { signal } = new AbortController()

it('W42 a pack takes nothing from elsewhere: links in it lead nowhere', async () => {
  const [elsewhere, made, root] = [folder(), folder(), folder()]
  writeFileSync(join(elsewhere, 'journal'), 'not for others')
  symlinkSync(elsewhere, join(made, 'a'))
  mkdirSync(join(root, 'a'))
  expect(await unpack(tar(made, 'a'), root, ['a/journal'], signal)).toBe(false)
  expect([readdirSync(elsewhere), readdirSync(join(root, 'a'))]).toEqual([['journal'], []])
})

it('W42 a pack puts nothing elsewhere: not above the workspace, not where it says, not through a link', async () => {
  const [outside, made] = [folder(), folder()]
  const root = join(outside, 'workspace')
  mkdirSync(root)
  writeFileSync(join(made, 'x'), 'x')
  symlinkSync(outside, join(made, 'out'))
  const named = (to: string) => tar(made, `--transform=s,^x$,${to},S`, 'out', 'x')
  for (const to of ['../up', '../../up', `${outside}/absolute`, 'out/through'])
    expect(await unpack(named(to), root, ['x'], signal), to).toBe(false)
  expect(readdirSync(outside)).toEqual(['workspace'])
  expect(readdirSync(root)).toEqual([])
  expect(existsSync('/up')).toBe(false)
})
