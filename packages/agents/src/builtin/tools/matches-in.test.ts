import { describe, expect, it } from 'vitest'
import { matchesIn, patternOf } from './matches-in.ts'

describe('a search', () => {
  it('finds lines and their numbers, whatever their ends', () => {
    expect(matchesIn('one\r\n  two\nthree two', patternOf('TWO$', true))).toEqual([
      { line: 2, text: 'two' },
      { line: 3, text: 'three two' },
    ])
  })

  it('reads patterns that are only sloppy, and refuses those that are wrong', () => {
    expect(matchesIn('a-b "c"', patternOf('a\\-b \\"c\\"', false))).toHaveLength(1)
    expect(() => patternOf('(', false)).toThrow('Invalid regular expression')
  })

  it('gives up on a pattern that would take for ever', () => {
    expect(() => matchesIn(`${'a'.repeat(1000)}!`, patternOf('^(a+)+$', false), 100)).toThrow('timed out')
  })
})
