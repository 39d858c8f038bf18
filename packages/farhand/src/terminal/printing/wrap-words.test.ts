import { describe, expect, it } from 'vitest'
import { wrapWords } from './wrap-words.ts'

describe('text for a narrow terminal', () => {
  it('is broken between words, and every other line is left as it is', () => {
    expect(wrapWords('one two three\nfour\n', 9)).toBe('one two\nthree\nfour\n')
    expect(wrapWords('a  table    stays\n', 20)).toBe('a  table    stays\n')
  })

  it('keeps a command in one piece, even one that fits nowhere', () => {
    expect(wrapWords('Say `farhand close run_1`, or not.', 24)).toBe('Say\n`farhand close run_1`,\nor not.')
    expect(wrapWords('Say `farhand close run_1`.', 10)).toBe('Say\n`farhand close run_1`.')
    expect(wrapWords("it's ` alone in here", 10)).toBe("it's `\nalone in\nhere")
  })

  it('goes on as far in as the line began', () => {
    expect(wrapWords('  one two three', 9)).toBe('  one two\n  three')
    expect(wrapWords('fine  git  it is there', 16, 11)).toBe('fine  git  it is\n           there')
  })

  it('counts no colours, and leaves alone what moves about on the screen', () => {
    expect(wrapWords('\u001b[31mone two\u001b[39m three', 9)).toBe('\u001b[31mone two\u001b[39m\nthree')
    expect(wrapWords('\rone two three four', 9)).toBe('\rone two three four')
  })
})
