import { expect, it } from 'vitest'
import { trimEndChars } from './trim-end-chars.ts'

it.each([
  ['a\n\n', '\n', 'a'],
  ['\n\n', '\n', ''],
  ['a\n b', '\n', 'a\n b'],
  ['a \t', ' \t', 'a'],
  ['', '\n', ''],
])('of %j without %j at its end %j is left', (text, letters, rest) => {
  expect(trimEndChars(text, letters)).toBe(rest)
})
