import { describe, expect, it } from 'vitest'
import { matcher, patternOf } from './look-tools.ts'

describe('a search', () => {
  it('finds lines and their numbers, with any line ends', () => {
    expect(matcher(patternOf('TWO$', true))('one\r\n  two\nthree two')).toEqual([
      { line: 2, text: 'two' },
      { line: 3, text: 'three two' },
    ])
  })

  it('reads patterns that are only sloppy, and refuses those that are wrong', () => {
    expect(matcher(patternOf('a\\-b \\"c\\"', false))('a-b "c"')).toHaveLength(1)
    expect(() => patternOf('(', false)).toThrow('Invalid regular expression')
  })

  it('gives up on a pattern that would take for ever', () => {
    expect(() => matcher(patternOf('^(a+)+$', false), 100)(`${'a'.repeat(1000)}!`)).toThrow('timed out')
  })
})
