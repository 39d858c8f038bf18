import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ignoredBy } from './ignored-by.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'farhand-ignored-'))
  mkdirSync(join(root, 'a/b'), { recursive: true })
  writeFileSync(join(root, '.gitignore'), 'build/\n*.log\n')
  writeFileSync(join(root, 'a/.gitignore'), 'secret\n')
  writeFileSync(join(root, '.farhandignore'), '!keep.log\n/drafts\n')
})
afterEach(() => rmSync(root, { recursive: true }))

it.each([
  ['x.log', '.gitignore'],
  ['build/deep/x', '.gitignore'],
  ['a/b/secret', 'a/.gitignore'],
  ['drafts/x', '.farhandignore'],
  ['a/b/keep.log', null],
  ['a/b/x', null],
])('S9 %s is left out by the rules of %s', (path, file) => {
  expect(ignoredBy(root, path, false)).toBe(file)
})

it('S9 in a folder of a repository the rules above it are named, too', () => {
  mkdirSync(join(root, '.git'))
  expect(ignoredBy(join(root, 'a/b'), 'x.log', false)).toBe('../../.gitignore')
  expect(ignoredBy(join(root, 'a/b'), 'secret', false)).toBe('../.gitignore')
  expect(ignoredBy(join(root, 'a/b'), 'x', false)).toBe(null)
})
