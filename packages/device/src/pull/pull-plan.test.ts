import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { pullPlan } from './pull-plan.ts'

const [a, b, c] = ['a', 'b', 'c'].map(
  (name): FileEntry => ({ mode: '100644', hash: `sha256_${name.repeat(64)}` as BlobHash }),
) as [FileEntry, FileEntry, FileEntry]
const file = 'f' as WorkspacePath
const tree = (entry: FileEntry | null) => new Map(entry ? [[file, entry]] : [])

/** What becomes of one file: the run has this, this was pulled last, this is here. */
const becomes = (
  there: FileEntry | null,
  pulled: FileEntry | null,
  here: FileEntry | null,
  insists = false,
) => {
  const { brought, overwritten, left, same } = pullPlan(tree(there), tree(pulled), () => here, insists)
  const what = brought[0]
    ? brought[0].to
      ? 'brought'
      : 'deleted'
    : (left[0]?.why ?? (same ? 'same' : 'nothing'))
  return overwritten.length > 0 ? `${what}, kept` : what
}

describe('pullPlan', () => {
  it('brings what is new or changed in the run, and deletes what went there', () => {
    expect(becomes(a, null, null)).toBe('brought')
    expect(becomes(b, a, a)).toBe('brought')
    expect(becomes(null, a, a)).toBe('deleted')
  })

  it('leaves a file alone that is the same on both sides, no matter who changed it', () => {
    expect(becomes(a, null, a)).toBe('same')
    expect(becomes(b, a, b)).toBe('same')
    expect(becomes(null, a, null)).toBe('nothing')
  })

  it('leaves what changed here alone, also if it is that the file was deleted here', () => {
    expect(becomes(a, a, b)).toBe('only-here-changed')
    expect(becomes(a, a, null)).toBe('only-here-changed')
  })

  it('does not decide between two changes', () => {
    expect(becomes(b, a, c)).toBe('both-changed')
    expect(becomes(b, a, null)).toBe('both-changed')
    expect(becomes(b, null, c)).toBe('was-here')
  })

  it('takes the run’s version if the user forces it, and keeps the one that was here', () => {
    expect(becomes(b, a, c, true)).toBe('brought, kept')
    expect(becomes(b, null, c, true)).toBe('brought, kept')
    expect(becomes(a, a, null, true)).toBe('brought')
  })

  it('never deletes a file that was changed or made here, not even if forced', () => {
    expect(becomes(null, a, c)).toBe('deleted-there')
    expect(becomes(null, a, c, true)).toBe('deleted-there')
    expect(pullPlan(new Map(), new Map(), () => c, true)).toMatchObject({ brought: [], left: [] })
  })
})
