import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type PatchFile, type PatchSide, patchText } from './patch-text.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'farhand-patch-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const plain = (text: string): PatchSide => ({ mode: '100644', text })
const files: PatchFile[] = [
  { path: 'changed.txt', before: plain('one\ntwo\nthree\n'), after: plain('one\n2\nthree\n') },
  { path: 'added/deep.txt', before: null, after: plain('new\n') },
  { path: 'empty', before: null, after: plain('') },
  { path: 'gone.txt', before: plain('bye\n'), after: null },
  { path: 'with space.txt', before: plain('a\n'), after: plain('b\n') },
  { path: 'tab\tand "quote".txt', before: plain('a\n'), after: plain('b\n') },
  { path: 'unended', before: plain('a'), after: plain('a\nb') },
  { path: 'tool.sh', before: plain('#!\n'), after: { mode: '100755', text: '#!\n' } },
  { path: 'became-link', before: plain('text\n'), after: { mode: '120000', text: 'changed.txt' } },
  { path: 'new name.txt', from: 'old "name".txt', before: plain('same\n'), after: plain('same\n') },
  { path: 'bin/tool', from: 'tool', before: plain('#!\n'), after: { mode: '100755', text: '#!\n' } },
  { path: 'ümläut.txt', before: plain('a\r\n'), after: plain('b\r\n') },
]

function put(at: string, side: PatchSide): void {
  mkdirSync(path.dirname(at), { recursive: true })
  if (side.mode === '120000') symlinkSync(side.text, at)
  else writeFileSync(at, side.text, { mode: Number.parseInt(side.mode.slice(-3), 8) })
}

function found(at: string): PatchSide | null {
  try {
    const { mode } = lstatSync(at)
    if ((mode & 0o170000) === 0o120000) return { mode: '120000', text: readlinkSync(at) }
    return { mode: mode & 0o100 ? '100755' : '100644', text: readFileSync(at, 'utf8') }
  } catch {
    return null
  }
}

describe('a patch', () => {
  it('makes the new files from the old ones when git applies it', () => {
    for (const { path: name, from = name, before } of files) if (before) put(path.join(folder, from), before)
    const input = patchText(files, ['Left out: logo.png'])
    execFileSync('git', ['apply', '--whitespace=nowarn'], { cwd: folder, input })
    const now = files.map(({ path: name }) => found(path.join(folder, name)))
    expect(now).toEqual(files.map(({ after }) => after))
    for (const { from } of files) if (from !== undefined) expect(found(path.join(folder, from))).toBeNull()
  })

  it('keeps a note on its line, even if it contains line ends', () => {
    expect(patchText([], ['a\ndiff --git a/x b/x'])).toBe('a diff --git a/x b/x\n\n')
  })
})
