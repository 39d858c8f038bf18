import { fileDiff } from '@farhand/device/diff/file-diff'
import type { FileEntry, FileMode } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { describe, expect, it } from 'vitest'
import { diffInWords, statInWords, sumInWords } from './diff-in-words.ts'

const entry = (name: string, mode: FileMode = '100644'): FileEntry => ({
  mode,
  hash: `sha256_${name}` as BlobHash,
})
const bytes = (text: string) => new TextEncoder().encode(text)
const plain = { color: false }
const sides = { before: 'here', after: 'run' }
const changed = { path: 'a', before: entry('1'), after: entry('2') }

describe('a diff of files', () => {
  it('is told as patches are', () => {
    const diff = fileDiff(changed, bytes('one\ntwo\n'), bytes('one\n2\n'))
    expect(diffInWords(diff, sides, plain)).toBe('--- here/a\n+++ run/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n')
    const gone = fileDiff({ ...changed, after: null }, bytes('one\n'), bytes(''))
    expect(diffInWords(gone, sides, plain)).toBe('--- here/a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-one\n')
  })

  it('says of bytes, of large files and of modes that they differ, and shows none of it', () => {
    const binary = fileDiff(changed, new Uint8Array([1, 0, 2]), bytes('text'))
    const large = fileDiff(changed, 'unread', bytes('text'))
    const mode = fileDiff({ path: 'a', before: entry('1'), after: entry('1', '100755') }, 'unread', 'unread')
    expect([binary, large, mode].map((diff) => diffInWords(diff, sides, plain).split('\n')[2])).toEqual([
      'not a text; the two differ',
      'too large to be shown, or no longer stored; the two differ',
      'was a plain file, is a file to run',
    ])
    expect(statInWords([binary, mode], plain)).toBe(' a not a text\n a was a plain file, is a file to run\n')
  })

  it('fits a terminal when only sums are asked for', () => {
    const many = fileDiff(changed, bytes(''), bytes('line\n'.repeat(1000)))
    const few = fileDiff({ ...changed, path: `deep/${'x'.repeat(70)}` }, bytes('a\n'), bytes('b\n'))
    const stat = statInWords([many, few], plain)
    expect(stat.split('\n').every((line) => line.length <= 90)).toBe(true)
    expect(stat).toMatch(/^ a +\+1000 +-0 {2}\+{24}\n/)
    expect(sumInWords([many, few])).toBe('2 files differ, +1001 -1')
  })

  it('does not let a file move the cursor', () => {
    const diff = fileDiff(changed, bytes(''), bytes('\x1b[2Jgone\n'))
    expect(diffInWords(diff, sides, plain)).not.toContain('\x1b')
  })
})
