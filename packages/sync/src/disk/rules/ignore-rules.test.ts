import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { TrackedFiles } from '../git/tracked-files.ts'
import { dice } from './dice-under-test.ts'
import { IgnoreRules, ignoreFileAt, mostRuleCost } from './ignore-rules.ts'

function makeRepo() {
  const folder = mkdtempSync(path.join(tmpdir(), 'ignore-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = (words: string[], input?: string) =>
    execFileSync('git', ['-c', 'core.excludesFile=/dev/null', '-C', folder, ...words], {
      input: input ?? '',
      stdio: ['pipe', 'pipe', 'pipe'],
    }).toString()
  git(['init', '-q'])
  const write = (name: string, text = name) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return { folder, git, write }
}

const nothingTracked = { has: () => false, hasBelow: () => false }

/** Every file that is found by going down from the top and leaving out what is ignored. */
function walk(root: string, rules: IgnoreRules): string[] {
  const found: string[] = []
  const enter = (folder: string) => {
    const entries = readdirSync(path.join(root, folder), { withFileTypes: true })
    for (const file of ['.gitignore', '.farhandignore'] as const) {
      const there = entries.find(({ name }) => name === file)
      rules.set(folder, file, there ? readFileSync(path.join(root, folder, file), 'utf8') : null)
    }
    for (const entry of entries) {
      const here = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name === '.git' || rules.ignores(here, entry.isDirectory())) continue
      if (entry.isDirectory()) enter(here)
      else found.push(here)
    }
  }
  enter('')
  return found.sort()
}

// ASCII: for git a ? stands for one byte, for us for one character.
const names = ['a', 'b', 'a.log', 'b.txt', 'build', 'x y', '#c', '!d', 'a[1]', 'q\\r', 'A']
const patterns = [
  'a',
  'b/',
  '/a',
  '*.log',
  '!a.log',
  'build/',
  '!build/',
  '!build',
  'a/b',
  '/a/b/',
  'a/**',
  '**/b',
  'a/**/b',
  '*',
  '!*/',
  '!a',
  'x\\ y',
  'x y   ',
  '\\#c',
  '\\!d',
  '#c',
  'é',
  'a\\[1\\]',
  '[ab]',
  '[!a]',
  '?',
  'b.*',
  '/*',
  '!/a/',
  '',
  '  ',
  '/',
  'q\\\\r',
  '**',
  'A',
  '**/',
  'a/*',
]

describe('IgnoreRules', () => {
  it('S9 leaves out what git leaves out, on random trees with random rules', () => {
    const first = inject('seed') ?? 1
    for (let seed = first; seed < first + (inject('long') ? 400 : 40); seed++) {
      const { folder, git, write } = makeRepo()
      const roll = dice(seed * 7919)
      const some = <Kind>(list: readonly Kind[]) => list[roll(list.length)]!
      const somewhere = () => Array.from({ length: roll(3) }, () => some(['a', 'b', 'build', 'x y', 'a[1]']))
      for (let file = 0; file < 30; file++) {
        try {
          write([...somewhere(), some(names)].join('/'))
        } catch {
          // A folder is where the file should go, or a file where its folder should.
        }
      }
      const rules = () => Array.from({ length: 1 + roll(4) }, () => some(patterns)).join('\n')
      for (let file = 0; file < 3; file++) {
        try {
          write([...somewhere(), '.gitignore'].join('/'), rules())
        } catch {}
      }
      write('.git/info/exclude', roll(2) ? rules() : '')
      const ours = new IgnoreRules(nothingTracked)
      ours.exclude(readFileSync(path.join(folder, '.git/info/exclude'), 'utf8'))
      const theirs = git(['ls-files', '-z', '--others', '--exclude-standard']).split('\0')
      expect(walk(folder, ours), `seed ${seed}`).toEqual(theirs.filter(Boolean).sort())
    }
  })

  it('S9 a .farhandignore outranks every .gitignore, also a deeper one', () => {
    const { folder, write } = makeRepo()
    write('.farhandignore', '!.env.local\nsecret\n')
    write('app/.gitignore', '.env*\n!secret\n')
    for (const name of ['app/.env', 'app/.env.local', 'app/secret', '.env.local']) write(name)
    expect(walk(folder, new IgnoreRules(nothingTracked))).toEqual([
      '.env.local',
      '.farhandignore',
      'app/.env.local',
      'app/.gitignore',
    ])
  })

  it('S9 a .farhandignore re-includes a file of an ignored folder only with the folder', () => {
    const { folder, write } = makeRepo()
    write('.gitignore', 'build/\nout/\n')
    write('.farhandignore', '!build/keep\n!out/\n')
    for (const name of ['build/keep', 'out/keep']) write(name)
    expect(walk(folder, new IgnoreRules(nothingTracked))).toEqual([
      '.farhandignore',
      '.gitignore',
      'out/keep',
    ])
  })

  it.each(['2', '3', '4', 'split', 'sha256'])('S9 tracked files are never ignored (index %s)', (kind) => {
    const { folder, git, write } = makeRepo()
    if (kind === 'sha256') {
      rmSync(path.join(folder, '.git'), { recursive: true })
      git(['init', '-q', '--object-format=sha256'])
    }
    for (const name of ['build/deep/kept', 'build/deep/kept2', 'build/dropped', 'é.log', 'plain']) write(name)
    git(['add', '-f', 'build/deep', 'é.log', 'plain'])
    if (kind === '3') {
      write('build/meant')
      git(['add', '-f', '-N', 'build/meant'])
    }
    if (kind === '4') git(['update-index', '--index-version', '4'])
    if (kind === 'split') git(['update-index', '--split-index'])
    write('.gitignore', 'build/\n*.log\n')
    write('other.log')
    const tracked = new TrackedFiles(() => ({ gitFolder: path.join(folder, '.git'), inside: '' }))
    expect(walk(folder, new IgnoreRules(tracked))).toEqual(
      ['.gitignore', 'build/deep/kept', 'build/deep/kept2', 'plain', 'é.log']
        .concat(kind === '3' ? ['build/meant'] : [])
        .sort(),
    )
    git(['add', '-f', 'other.log'])
    expect(tracked.reload()).toEqual(['other.log'])
  })

  it('S9 an index that is damaged counts as none', () => {
    const { folder, write } = makeRepo()
    write('.git/index', 'DIRC and nonsense')
    write('.gitignore', 'a')
    write('a')
    expect(
      walk(
        folder,
        new IgnoreRules(new TrackedFiles(() => ({ gitFolder: path.join(folder, '.git'), inside: '' }))),
      ),
    ).toEqual(['.gitignore'])
  })
})

it.each([
  ['a/.GitIgnore', true, '.gitignore'],
  ['.FARHANDIGNORE', true, '.farhandignore'],
  ['a/.GitIgnore', false, null],
  ['a/.gitignore', false, '.gitignore'],
  ['a.gitignore', true, null],
])('%s names rules as the disk reads names (without case: %s): %s', (path, foldsCase, kind) => {
  expect(ignoreFileAt(path, foldsCase)).toBe(kind)
})

describe('rules that cost too much', () => {
  /** Distinct rules with stars, of so many letters together. */
  const costly = (letters: number) =>
    Array.from({ length: Math.ceil(letters / 8) }, (_, n) => `*${n.toString(36).padStart(5, '0')}*z`).join(
      '\n',
    )

  it('leave out everything but rule files and what git tracks, until they are mended', () => {
    const rules = new IgnoreRules({ has: (file) => file === 'tracked.txt', hasBelow: () => false })
    rules.set('', '.gitignore', costly(mostRuleCost + 8))
    const out = (name: string) => rules.ignores(name, false)
    expect(['a.txt', 'sub/a.txt', 'tracked.txt', '.gitignore', '.farhandignore'].map(out)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    rules.set('', '.gitignore', 'b.txt\n')
    expect(['a.txt', 'b.txt'].map(out)).toEqual([false, true])
  })

  it('are counted together with those of the folders above, and only where they count', () => {
    const rules = new IgnoreRules(nothingTracked)
    rules.set('', '.gitignore', costly(mostRuleCost * 0.6))
    rules.set('sub', '.gitignore', costly(mostRuleCost * 0.6))
    const out = (name: string) => rules.ignores(name, false)
    expect(['a.txt', 'other/a.txt', 'sub/a.txt', 'sub/.gitignore'].map(out)).toEqual([
      false,
      false,
      true,
      false,
    ])
  })

  it('do not include a repeated rule, of which only the last one counts', () => {
    const rules = new IgnoreRules(nothingTracked)
    rules.set('', '.gitignore', `*.log\n${'*a*b*c*d\n'.repeat(100_000)}!*.log\n*.log\n`)
    expect(['a.txt', 'a.log'].map((name) => rules.ignores(name, false))).toEqual([false, true])
  })
})
