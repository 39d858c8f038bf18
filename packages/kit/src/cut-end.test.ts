import { expect, it } from 'vitest'
import { cutEnd } from './cut-end.ts'

it.each([
  ['a\n\n', '\n', 'a'],
  ['\n\n', '\n', ''],
  ['a\n b', '\n', 'a\n b'],
  ['a \t', ' \t', 'a'],
  ['', '\n', ''],
])('of %j without %j at its end %j is left', (text, letters, rest) => {
  expect(cutEnd(text, letters)).toBe(rest)
})
