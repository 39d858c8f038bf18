import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { dice } from './dice-under-test.ts'
import { IgnoreRules } from './ignore-rules.ts'

const names = ['a', 'b', 'ab', 'aab', 'a.b', 'a b', 'A', 'a]', '[a]', 'a\\b', '-', '!a', '#a', 'abab']
const pieces = [
  ...['a', 'b', 'ab', 'A', '.', '-', ' ', '#', '!', ']', '^'],
  ...['*', '*', '**', '***', '?', '/', '/', '/', '**/', '/**', '/**/', 'a**', '**a'],
  ...['[ab]', '[!a]', '[^b]', '[a-b]', '[b-a]', '[]a]', '[!]]', '[a-]', '[-a]', '[a/b]', '[', '[a', '[\\]a]'],
  ...[
    '[[:alpha:]]',
    '[[:upper:]]',
    '[[:nonsense:]]',
    '[[:a]',
    '[[:]',
    '\\a',
    '\\*',
    '\\\\',
    '\\',
    '\\/',
    '\\ ',
    '\t',
  ],
]

it('S9 fits a path exactly where git does, for random rules of every kind', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'farhand-patterns-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  execFileSync('git', ['init', '-q', root])
  const files: string[] = []
  for (const first of names)
    for (const second of ['', 'a', 'ab'])
      for (const third of second === '' ? [''] : ['', 'b']) {
        const folder = [first, second, third].filter((part) => part !== '').join('/')
        mkdirSync(path.join(root, 'd', folder), { recursive: true })
        for (const name of names.slice(0, 6)) {
          const file = path.join('d', folder, `${name}.f`)
          writeFileSync(path.join(root, file), '')
          files.push(file)
        }
      }
  const asked = files.join('\0')
  const seed = inject('seed') ?? 1
  let telling = 0
  const rounds = inject('long') ? 3_000 : 100
  // Rules that fit nothing, or everything, would prove little.
  for (let round = seed; round < seed + rounds || (telling <= 25 && round < seed + 10 * rounds); round++) {
    const roll = dice(round * 7919)
    const line = () => Array.from({ length: 1 + roll(4) }, () => pieces[roll(pieces.length)]).join('')
    const text = Array.from(
      { length: 1 + roll(3) },
      () => (roll(4) ? '' : '!') + line() + ['', '*', '.f', '*.f'][roll(4)],
    ).join('\n')
    writeFileSync(path.join(root, 'd/.gitignore'), text)
    const theirs = ignoredByGit(root, asked)
    const rules = new IgnoreRules({ has: () => false, hasBelow: () => false })
    rules.set('d', '.gitignore', text)
    const ours = files.filter((file) => rules.matches(file, false))
    if (theirs.length > 0 && theirs.length < files.length) telling += 1
    expect(ours, `seed ${round}: ${JSON.stringify(text)}`).toEqual(theirs)
  }
  expect(telling).toBeGreaterThan(25)
}, 120_000)

function ignoredByGit(root: string, asked: string): string[] {
  const words = [
    '-C',
    root,
    '-c',
    'core.excludesFile=/dev/null',
    'check-ignore',
    '--no-index',
    '-z',
    '--stdin',
  ]
  try {
    return execFileSync('git', words, { input: asked, maxBuffer: 2 ** 26 })
      .toString()
      .split('\0')
      .slice(0, -1)
  } catch (error) {
    // None of them is.
    if ((error as { status?: number }).status === 1) return []
    throw error
  }
}
