import { describe, expect, it } from 'vitest'
import { laptop, runner, secondLaptop } from '../events/sample-log.ts'
import type { FileEntry } from '../methods/files.ts'
import { BlobHash } from '../wire/blob-hash.ts'
import { heldSince, mostSince, PathHistory } from './path-history.ts'

const entry = (word: string): FileEntry => ({
  mode: '100644',
  hash: BlobHash.parse(`sha256_${Buffer.from(word).toString('hex').padEnd(64, '0')}`),
})

/** A path that the laptop wrote once and a runner so many times after it. */
function rewritten(words: readonly string[]): PathHistory {
  let history: PathHistory | null = null
  let before: { entry: FileEntry; by: typeof laptop | typeof runner } = { entry: entry('mine'), by: laptop }
  for (const word of words) {
    const to = { entry: entry(word), by: runner }
    history = PathHistory.after(history, before, to)
    before = to
  }
  return history!
}

describe('what is remembered of a path', () => {
  it('S3 does not grow when a runner writes the same few versions for ever', () => {
    const history = rewritten(Array.from({ length: 5_000 }, (_, n) => `${n % 3}`))
    expect(history.row().since).toHaveLength(4)
    for (const was of ['mine', '0', '1', '2'])
      expect(history.counts(entry('1'), entry(was), secondLaptop)).toBe(true)
    expect(history.counts(entry('1'), entry('never'), secondLaptop)).toBe(false)
  })

  it('S3 is 1,000 versions: an older one does not count any more, except for the client that wrote last', () => {
    const words = Array.from({ length: mostSince + 1 }, (_, n) => `v${n}`)
    const history = rewritten(words)
    const now = entry(words.at(-1)!)
    expect(mostSince).toBe(1_000)
    expect(history.row().since).toHaveLength(mostSince)
    expect(history.counts(now, entry('v1'), secondLaptop)).toBe(true)
    expect(history.counts(now, entry('v0'), secondLaptop)).toBe(false)
    expect(history.counts(now, entry('mine'), secondLaptop)).toBe(false)
    expect(history.counts(now, entry('mine'), laptop)).toBe(true)
  })

  it('S3 is the same after it was stored and read', () => {
    const history = rewritten(['a', 'b', 'a'])
    expect(new PathHistory(history.row()).row()).toEqual(history.row())
  })

  it('moves an entry that comes back to the end, and does not change the copy from before', () => {
    const since = ['x', 'a', 'x', 'b'].map(entry)
    expect(heldSince(since, entry('x'), 1)).toBe(1)
    expect(since).toEqual(['x', 'a', 'b', 'x'].map(entry))
    expect(heldSince(since, entry('a'), 1)).toBe(1)
    expect(since).toEqual(['x', 'b', 'x', 'a'].map(entry))
    expect(heldSince(since, entry('x'))).toBe(0)
    expect(since).toEqual(['b', 'x', 'a', 'x'].map(entry))
  })

  it('S3 forgets the oldest first, and knows where the rest of it went', () => {
    const words = Array.from({ length: mostSince }, (_, n) => `v${n}`)
    const since = words.map(entry)
    expect(heldSince(since, entry('new'), 5)).toBe(4)
    expect(since).toEqual([...words.slice(1), 'new'].map(entry))
    expect(heldSince(since, entry('newer'), 0)).toBe(0)
    expect(heldSince(since, entry('v9'), 1)).toBe(1)
    expect(since).toEqual([...words.slice(2, 9), ...words.slice(10), 'new', 'newer', 'v9'].map(entry))
  })
})
