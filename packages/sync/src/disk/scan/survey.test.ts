import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { survey } from './survey.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'farhand-survey-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text = path): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

const look = (options = {}) => survey(root, { maxFileBytes: 100, ...options })
const paths = (all: readonly { path: string }[]) => all.map(({ path }) => path).sort()

it('finds the files that a sync would send, by the same rules', () => {
  for (const path of ['a', 'src/b', 'src/c.log', 'src/d.log', 'node_modules/x/y', '.git/HEAD']) write(path)
  write('.gitignore', '*.log\nnode_modules\n')
  write('src/.gitignore', '!c.log\n')
  symlinkSync('nowhere', join(root, 'link'))
  const found = look()
  expect(paths(found.files)).toEqual(['.gitignore', 'a', 'link', 'src/.gitignore', 'src/b', 'src/c.log'])
  expect(found.ignored).toBe(2)
  expect(found.files.find(({ path }) => path === 'src/b')).toEqual({ path: 'src/b', size: 5 })
})

it('says which files would be left out, and why', () => {
  write('large', 'x'.repeat(101))
  write('data/lock.sqlite')
  write('data/store.sqlite')
  mkdirSync(join(root, 'closed'))
  chmodSync(join(root, 'closed'), 0)
  const { left, files } = look()
  chmodSync(join(root, 'closed'), 0o700)
  const isRoot = process.getuid?.() === 0
  expect(left).toContainEqual({ path: 'large', why: 'too-large', size: 101 })
  expect(left).toContainEqual({ path: 'data', why: 'hub-data', size: 0 })
  expect(paths(left)).toEqual([...(isRoot ? [] : ['closed']), 'data', 'large'])
  expect(files).toEqual([])
})

it('knows what git tracks: that is sent though it is ignored, unless the user left it out', () => {
  for (const path of ['kept.log', 'other.log']) write(path)
  write('.gitignore', '*.log\n')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' })
  git('init')
  git('add', '-f', 'kept.log')
  const found = look()
  expect(paths(found.files)).toEqual(['.gitignore', 'kept.log'])
  expect(found.isTracked('kept.log')).toBe(true)
  expect(found.isTracked('other.log')).toBe(false)
  expect(paths(look({ leftOut: ['kept.log'] }).files)).toEqual(['.gitignore'])
})

it('S9 leaves out in a folder of a repository what the repository ignores there, as git does', () => {
  execFileSync('git', ['init', '-q'], { cwd: root })
  write('.gitignore', '.env\n/packages/app/dist/\n/dist/\n*.log\n')
  write('packages/.gitignore', '!kept.log\n/app/once.txt\n')
  write('.git/info/exclude', 'mine.txt\n')
  for (const name of [
    '.env',
    'a.ts',
    'dist/o.js',
    'src/dist/o.js',
    'x.log',
    'kept.log',
    'once.txt',
    'mine.txt',
  ])
    write(`packages/app/${name}`)
  write('packages/app/tracked.log')
  execFileSync('git', ['add', '-f', 'packages/app/tracked.log'], { cwd: root })
  const found = survey(join(root, 'packages/app'), { maxFileBytes: 100 })
  expect(paths(found.files)).toEqual(['a.ts', 'kept.log', 'src/dist/o.js', 'tracked.log'])
})

it('S9 leaves out nothing by the rules of a repository that ignores the folder itself: it is not of that repository', () => {
  execFileSync('git', ['init', '-q'], { cwd: root })
  write('.gitignore', 'places/\n*.log\n')
  for (const name of ['a.txt', 'b.log']) write(`places/one/${name}`)
  const found = survey(join(root, 'places/one'), { maxFileBytes: 100 })
  expect(paths(found.files)).toEqual(['a.txt', 'b.log'])
})
