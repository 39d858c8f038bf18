import { expect, it } from 'vitest'
import { spelledText } from './shown-text.ts'

it('what a terminal would obey is spelled out, and lines and tabs stay', () => {
  const hostile = '+\x1b]52;c;Z290Y2hh\x07\ta\r\n\x9b2J\u202eb\x7f'
  expect(spelledText(hostile)).toBe('+^[]52;c;Z290Y2hh^G\ta^M\n<U+009b>2J<U+202e>b^?')
})
