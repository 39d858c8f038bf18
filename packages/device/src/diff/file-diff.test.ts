import type { FileEntry, FileMode } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { describe, expect, it } from 'vitest'
import { differing } from './file-diff.ts'

const entry = (name: string, mode: FileMode = '100644'): FileEntry => ({
  mode,
  hash: `sha256_${name}` as BlobHash,
})

describe('a diff of files', () => {
  it('is about the paths that differ, by content or by mode', () => {
    const before = new Map([
      ['same', entry('1')],
      ['mode', entry('1')],
      ['gone', entry('1')],
    ])
    const after = new Map([
      ['same', entry('1')],
      ['mode', entry('1', '100755')],
      ['new', entry('2')],
    ])
    expect(differing(before, after).map(({ path }) => path)).toEqual(['gone', 'mode', 'new'])
  })
})
