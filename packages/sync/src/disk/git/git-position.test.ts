import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gitPosition } from './git-position.ts'

let folder: string
let repo: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farhand-git-'))
  repo = join(folder, 'repo')
  execFileSync('git', ['init', '-q', '-b', 'main', repo])
})
afterEach(() => rmSync(folder, { recursive: true }))

const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false']
const git = (...words: string[]) =>
  execFileSync('git', ['-C', repo, ...identity, ...words], { encoding: 'utf8', stdio: 'pipe' })
const write = (text: string) => writeFileSync(join(repo, 'file'), text)
const commit = (text: string) => {
  write(text)
  git('add', '-A')
  git('commit', '-qm', text)
}
const position = () => gitPosition(repo).position

/** Runs it, and says whether git stands elsewhere since. */
const moves = (act: () => void) => {
  const before = position()
  act()
  return position() !== before
}

describe('the position of git', () => {
  it('S14 is nowhere without git', () => {
    expect(gitPosition(folder)).toEqual({ position: null, busy: false })
  })

  it('S14 is somewhere before the first commit', () => {
    expect(position()).toMatch(/^[\w-]{22}$/)
  })

  it('S14 stays when the files are committed as they are: that changes no file', () => {
    commit('one')
    expect(moves(() => commit('two'))).toBe(false)
    expect(moves(() => git('commit', '-q', '--amend', '-m', 'three'))).toBe(false)
    expect(moves(() => git('revert', '--no-edit', 'HEAD'))).toBe(true)
  })

  it('S14 moves with every commit if git keeps no reflog of HEAD', () => {
    git('config', 'core.logAllRefUpdates', 'false')
    commit('one')
    expect(moves(() => commit('two'))).toBe(true)
    expect(moves(() => git('checkout', '-q', '--detach'))).toBe(true)
  })

  it('S14 stays when files are edited, added to the index or looked at', () => {
    commit('one')
    expect(moves(() => write('two'))).toBe(false)
    expect(moves(() => git('add', '-A'))).toBe(false)
    expect(moves(() => git('status'))).toBe(false)
  })

  it('S14 moves with checkout, even to a branch at the same commit', () => {
    commit('one')
    expect(moves(() => git('checkout', '-q', '-b', 'other'))).toBe(true)
    expect(moves(() => git('checkout', '-q', '--detach'))).toBe(true)
    expect(moves(() => git('checkout', '-q', 'main'))).toBe(true)
  })

  it('S14 moves with pull, rebase, reset and stash', () => {
    commit('one')
    const other = join(folder, 'other')
    execFileSync('git', ['clone', '-q', repo, other])
    commit('two')
    repo = other
    expect(moves(() => git('pull', '-q'))).toBe(true)
    commit('three')
    expect(moves(() => git('rebase', '-q', '--onto', 'HEAD~2', 'HEAD~1', '-X', 'theirs'))).toBe(true)
    write('four')
    expect(moves(() => git('stash', '-q'))).toBe(true)
    expect(moves(() => git('stash', 'pop', '-q'))).toBe(true)
    expect(moves(() => git('reset', '-q', '--hard', 'HEAD~1'))).toBe(true)
  })

  it('S14 stays when refs are packed, and moves with what happens to them afterwards', () => {
    commit('one')
    write('stashed')
    git('stash', '-q')
    expect(moves(() => git('pack-refs', '--all'))).toBe(false)
    expect(moves(() => git('stash', 'drop', '-q'))).toBe(true)
    commit('two')
    expect(moves(() => git('reset', '-q', '--hard', 'HEAD~1'))).toBe(true)
  })

  it('S14 is that of the worktree, not of the repository it belongs to', () => {
    commit('one')
    const main = repo
    const tree = join(folder, 'tree')
    git('worktree', 'add', '-q', '-b', 'wip', tree)
    const before = position()
    repo = tree
    expect(position()).not.toBe(before)
    expect(moves(() => git('checkout', '-q', '--detach'))).toBe(true)
    expect(moves(() => git('pack-refs', '--all'))).toBe(false)
    repo = main
    expect(position()).toBe(before)
  })

  it('S14 says when git is at work', () => {
    commit('one')
    const later = Date.now() + 1000
    expect(gitPosition(repo, later).busy).toBe(false)
    writeFileSync(join(repo, '.git', 'index.lock'), '')
    expect(gitPosition(repo, later).busy).toBe(true)
  })

  it('S14 takes git to be at work a while after it wrote its index: a checkout moves HEAD last', () => {
    commit('one')
    const { mtimeMs } = statSync(join(repo, '.git', 'index'))
    expect(gitPosition(repo, mtimeMs + 100).busy).toBe(true)
    expect(gitPosition(repo, mtimeMs + 1000).busy).toBe(false)
  })

  it('S14 is unknown, not a crash, when .git points nowhere', () => {
    const lost = join(folder, 'lost')
    execFileSync('mkdir', [lost])
    writeFileSync(join(lost, '.git'), 'gitdir: ../gone\n')
    expect(gitPosition(lost)).toEqual({ position: null, busy: false })
    writeFileSync(join(lost, '.git'), 'nonsense')
    expect(gitPosition(lost).position).toBeNull()
  })
})
