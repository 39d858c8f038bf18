import type { FileEntry } from '@farhand/protocol/methods/files'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { planTree } from './plan-tree.ts'

const hashOf = (letter: string) => BlobHash.parse(`sha256_${letter.repeat(64)}`)
const file = (letter: string, mode: FileEntry['mode'] = '100644'): FileEntry => ({
  mode,
  hash: hashOf(letter),
})
const committed = (letter: string, mode = '100644') => ({
  mode,
  sha: letter.repeat(40),
  hash: hashOf(letter),
})

function plan(tip: Record<string, ReturnType<typeof committed>>, log: Record<string, FileEntry | null>) {
  const files = Object.entries(log).flatMap(([path, entry]) =>
    entry ? [{ path: WorkspacePath.parse(path), entry }] : [],
  )
  const made = planTree(new Map(Object.entries(tip)), files, (path) => log[path])
  return { put: made.put.map(({ path }) => path), remove: made.remove }
}

describe('a commit becomes what a log has', () => {
  it('by putting what is other or new, and removing what was deleted', () => {
    const tip = { same: committed('a'), other: committed('a'), gone: committed('a'), runs: committed('a') }
    const log = { same: file('a'), other: file('b'), gone: null, runs: file('a', '100755'), new: file('c') }
    expect(plan(tip, log)).toEqual({ put: ['other', 'runs', 'new'], remove: ['gone'] })
  })

  it('and leaves what no log ever named: it is ignored, too large, or was gone before', () => {
    expect(plan({ built: committed('a') }, {})).toEqual({ put: [], remove: [] })
  })

  it('with links last, and none before one that lies deeper: that would be made where the link leads', () => {
    const link = file('a', '120000')
    const log = { X: link, 'x/a': link, 'x/b/c': link, plain: file('b') }
    expect(plan({}, log).put).toEqual(['plain', 'x/b/c', 'x/a', 'X'])
  })

  it('and leaves repositories within it, whose files a folder sends as files', () => {
    const tip = { lib: committed('a', '160000') }
    expect(plan(tip, { 'lib/a.c': file('b'), library: file('c') })).toEqual({ put: ['library'], remove: [] })
  })
})
