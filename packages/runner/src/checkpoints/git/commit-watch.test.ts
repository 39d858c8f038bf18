import { describe, expect, it } from 'vitest'
import { commitsInReflog } from './commit-watch.ts'

const line = (sha: string, what: string) =>
  `${'0'.repeat(40)} ${sha.repeat(40)} A B <a@b> 1700000000 +0100\t${what}\n`

describe('commits that git has noted', () => {
  it.each([
    ['commit: add a file', 'add a file'],
    ['commit (initial): first: of all', 'first: of all'],
    ['commit (amend): better', 'better'],
    ['merge side: Merge made by the ort strategy.', 'Merge made by the ort strategy.'],
    ['rebase (pick): moved', 'moved'],
    ['cherry-pick: taken', 'taken'],
  ])('are news: %s', (what, message) => {
    expect(commitsInReflog(line('a', what))).toEqual([{ sha: 'a'.repeat(40), message }])
  })

  it.each([
    'checkout: moving from main to side',
    'reset: moving to HEAD~1',
    'clone: from https://example.org/x',
    'merge side: Fast-forward',
    'pull: Fast-forward',
    'rebase (start): checkout main',
    'rebase (finish): returning to refs/heads/main',
  ])('are none where HEAD only moved: %s', (what) => {
    expect(commitsInReflog(line('a', what))).toEqual([])
  })

  it('are each told in their order, and what is no line of a reflog is passed over', () => {
    const text = `${line('a', 'commit: 1')}half a li\n${line('b', 'commit: 2')}`
    expect(commitsInReflog(text).map(({ message }) => message)).toEqual(['1', '2'])
  })
})
