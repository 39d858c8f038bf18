import { describe, expect, it } from 'vitest'
import { GrowingText } from './growing-text.ts'

function grown(pieces: readonly string[], mostHead = 4, mostTail = 3): string {
  const text = new GrowingText(mostHead, mostTail)
  for (const piece of pieces) text.add(piece)
  return String(text)
}

describe('a text that grows', () => {
  it('is whole as long as it fits, in whatever pieces it comes', () => {
    for (const pieces of [['abcdefg'], ['ab', 'cdefg'], [...'abcdefg'], ['', 'abcd', '', 'efg']])
      expect(grown(pieces)).toBe('abcdefg')
  })

  it('keeps its beginning and its end, and says how much is missing', () => {
    for (const pieces of [['abcdefghij'], [...'abcdefghij'], ['abcdefghi', 'j']])
      expect(grown(pieces)).toBe('abcd… (3 characters are left out) …hij')
  })

  it('may have no end', () => {
    expect(grown(['abcdef'], 4, 0)).toBe('abcd… (2 characters are left out) …')
  })

  it('has no half characters, wherever it is cut', () => {
    expect(grown(['abc😀def😀gh'], 4, 4).isWellFormed()).toBe(true)
    expect(
      grown(
        [...'abc😀def😀gh'].flatMap((one) => one.split('')),
        4,
        4,
      ).isWellFormed(),
    ).toBe(true)
  })
})
