import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { seedOfCommit } from './seed-of-commit.mjs'

it('every run of a commit has the same seed, another commit has another one, and sources without a repository have one too', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'seed-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const git = (...words: string[]) =>
    spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...words], { cwd: folder })
  const commit = (text: string) => git('commit', '-q', '--allow-empty', '-m', text)
  const none = seedOfCommit(folder)
  git('init', '-q')
  commit('one')
  const first = seedOfCommit(folder)
  expect(seedOfCommit(folder)).toBe(first)
  commit('two')
  const seeds = [none, first, seedOfCommit(folder)]
  expect(new Set(seeds).size).toBe(3)
  for (const seed of seeds) expect(Number.isSafeInteger(seed)).toBe(true)
})
