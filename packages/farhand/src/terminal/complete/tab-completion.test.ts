import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { filesIn } from './completion-names.ts'
import { completion, type Names } from './tab-completion.ts'

const tree: Record<string, string[]> = {
  '': ['.env', 'src/', 'README.md', 'package.json', 'package-lock.json'],
  'src/': ['main.ts', 'parse/'],
}
const names: Names = {
  commands: () => ['help', 'mode', 'model', 'close'],
  values: (command) => (command === 'model' ? ['opus', 'sonnet'] : []),
  files: (folder) => tree[folder] ?? [],
}
/** The cursor is where the bar is. */
function tab(line: string) {
  const at = line.indexOf('|')
  const done = completion({ text: line.replace('|', ''), at }, names)
  return done && [`${done.text.slice(0, done.at)}|${done.text.slice(done.at)}`, ...done.candidates]
}

describe('Tab', () => {
  it.each([
    ['/c|', ['/close |']],
    ['/mo|', ['/mode|', '/mode', '/model']],
    ['/x|', null],
    ['/model o|', ['/model opus|']],
    ['/model |', ['/model |', 'opus', 'sonnet']],
    ['look at @sr|', ['look at @src/|']],
    ['look at @src/m|, please', ['look at @src/main.ts |, please']],
    ['look at @src/|', ['look at @src/|', '@main.ts', '@parse/']],
    ['@pack|', ['@package|', '@package.json', '@package-lock.json']],
    ['@read|', ['@README.md |']],
    ['@|', ['@|', '@src/', '@README.md', '@package.json', '@package-lock.json']],
    ['@.|', ['@.env |']],
    ['/steer use @src/m|', ['/steer use @src/main.ts |']],
    ['first\n@READ|', ['first\n@README.md |']],
    ['ada@sr|', null],
    ['say /mo|', null],
    ['|', null],
  ])('makes of %j %j', (line, made) => {
    expect(tab(line)).toEqual(made)
  })
})

it('only names in the workspace are offered, and none that would confuse a terminal', () => {
  const above = mkdtempSync(path.join(tmpdir(), 'farhand-tab-'))
  onTestFinished(() => rmSync(above, { recursive: true }))
  const workspace = path.join(above, 'w')
  mkdirSync(path.join(workspace, 'src'), { recursive: true })
  for (const name of ['b.txt', 'a\x1b[2J.txt', 'two words']) writeFileSync(path.join(workspace, name), '')
  mkdirSync(path.join(workspace, '.git'))
  symlinkSync(above, path.join(workspace, 'out'))
  expect(filesIn(workspace, '')).toEqual(['b.txt', 'out', 'src/'])
  for (const folder of ['../', 'out/', 'nowhere/', '/etc/']) expect(filesIn(workspace, folder)).toEqual([])
})
