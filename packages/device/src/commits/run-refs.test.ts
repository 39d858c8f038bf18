import { RunId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { branchesIn, refsInTheWay, runRefs } from './run-refs.ts'

const names = runRefs(RunId.parse('run_4fJ2aBcDeFgH'))
const sha = 'a'.repeat(40)

describe('the names of a run', () => {
  it('are short enough to type, and a branch is called as the agent called it', () => {
    expect(names.branch('fix/it')).toBe('refs/farhand/run_4fJ2aBcD/fix/it')
    expect(names.short(names.branch('main'))).toBe('farhand/run_4fJ2aBcD/main')
  })

  it('never let a branch of the agent stand for one of ours', () => {
    for (const name of [
      'base',
      'checkpoint',
      'head',
      'pushed',
      'base/x',
      'branch-base',
      'basement',
      'Pushed',
      'a/base',
    ]) {
      expect([names.base, names.checkpoint, names.head, names.pushed]).not.toContain(names.branch(name))
      if (name !== 'branch-base') expect(names.branchOf(names.branch(name))).toBe(name)
    }
    expect(names.branchOf(names.pushed)).toBeNull()
    // On many disks these are one file.
    expect(names.branch('PUSHED').toLowerCase()).not.toBe(names.pushed.toLowerCase())
  })

  it('make room for each other as git needs it', () => {
    expect(refsInTheWay(['r/a', 'r/b/c', 'r/d'], ['r/a/x', 'r/b', 'r/dd'])).toEqual(['r/a', 'r/b/c'])
  })
})

describe('the branches of an agent', () => {
  it('are read from its packed refs, and what git would not take as a name is left out', () => {
    const good = ['main', 'fix/it', 'ä', 'a.b']
    const bad = ['a..b', 'a.lock', '-x', '.x', 'a/', 'a~1', 'a:b', 'x/.y', '@']
    const text = [...good, ...bad].map((name) => `${sha} refs/heads/${name}\n`).join('')
    const others = `# pack-refs\n${sha} refs/tags/v1\n^${sha}\n${sha} refs/remotes/origin/main\n`
    expect([...branchesIn(others + text).keys()]).toEqual(good)
  })
})
