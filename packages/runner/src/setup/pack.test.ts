import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, it, onTestFinished, vi } from 'vitest'
import { unpack } from './pack.ts'

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

/** A tar that is gone as soon as it has seen so many bytes, and leaves the rest in the pipe. */
function hastyTar(bytes: number): void {
  const bin = folder()
  const script = `#!/bin/sh\nPATH='${process.env.PATH}'\nhead -c ${bytes} | tar "$@"\n`
  writeFileSync(join(bin, 'tar'), script, { mode: 0o755 })
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
}

it('W42 a pack is whole though tar is gone before all that follows its end is read, and not if it was cut', async () => {
  const [made, root, cut] = [folder(), folder(), folder()]
  writeFileSync(join(made, 'x'), 'x'.repeat(5000))
  const file = tar(made, 'x')
  const packed = gunzipSync(readFileSync(file))
  writeFileSync(file, gzipSync(Buffer.concat([packed, Buffer.alloc(4 << 20)])))
  hastyTar(packed.length)
  expect(await unpack(file, root, ['x'], signal)).toBe(true)
  expect(readFileSync(join(root, 'x'), 'utf8')).toBe('x'.repeat(5000))
  hastyTar(2000)
  expect(await unpack(file, cut, ['x'], signal)).toBe(false)
  expect(readdirSync(cut)).toEqual([])
})
