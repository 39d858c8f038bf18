import { describe, expect, it } from 'vitest'
import { endsOf } from './item-in-briefing.ts'

describe('a text of which only the ends are told', () => {
  it('is whole as long as it fits', () => {
    expect(endsOf('abcdefg', 4, 3)).toBe('abcdefg')
  })

  it('keeps its beginning and its end, and says how much is missing', () => {
    expect(endsOf('abcdefghij', 4, 3)).toBe('abcd… (3 characters are left out) …hij')
  })

  it('may have no end', () => {
    expect(endsOf('abcdef', 4, 0)).toBe('abcd… (2 characters are left out) …')
  })

  it('has no half characters, wherever it is cut', () => {
    expect(endsOf('abc😀def😀gh', 4, 4).isWellFormed()).toBe(true)
    expect(endsOf('abc😀def😀gh', 5, 3).isWellFormed()).toBe(true)
  })
})
