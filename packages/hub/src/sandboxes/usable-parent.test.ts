import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { usableParent } from './usable-parent.ts'

/** Folders that say of themselves what groups do. */
function tree(groups: Record<string, { control?: string; procs?: string }>) {
  const top = mkdtempSync(path.join(tmpdir(), 'farhand-groups-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  for (const [name, { control = '', procs = '' }] of Object.entries(groups)) {
    mkdirSync(path.join(top, name), { recursive: true })
    writeFileSync(path.join(top, name, 'cgroup.subtree_control'), control)
    writeFileSync(path.join(top, name, 'cgroup.procs'), procs)
  }
  return { top, of: (own: string) => usableParent(path.join(top, own), top)?.slice(top.length + 1) ?? null }
}

const all = 'cpu memory pids\n'

describe('the control group below which sandboxes get theirs', () => {
  it('is the hub’s own, if that enables the needed controllers', () => {
    expect(tree({ a: { control: all }, 'a/b': { control: all } }).of('a/b')).toBe('a/b')
  })

  it('is the one that this process left to make it usable', () => {
    expect(tree({ a: { control: all }, 'a/farhand-hub': { procs: '1\n' } }).of('a/farhand-hub')).toBe('a')
  })

  it('is the nearest above, if other processes are in the hub’s own: they are not moved', () => {
    const groups = {
      a: { control: all },
      'a/b': { control: 'memory\n' },
      'a/b/c': { procs: `${process.pid}\n1\n` },
    }
    expect(tree(groups).of('a/b/c')).toBe('a')
  })

  it('is none if no group above enables the needed controllers', () => {
    expect(tree({ a: { control: 'cpu io\n' }, 'a/b': { procs: '1\n' } }).of('a/b')).toBeNull()
  })
})
