import { expect, it } from 'vitest'
import { painted } from './palette.ts'
import { span } from './styled-line.ts'

it('a line has no control characters but those of its styles, with any text', () => {
  const line = [span('a\x1b]52;c;eA==\x07b', 'bold'), span('c\u009b2Jd\n\u202ee')]
  expect(painted(line, 0)).toBe('a]52;c;eA==bc2Jde')
  expect(painted(line, 16)).toBe('\x1b[1ma]52;c;eA==b\x1b[0mc2Jde')
})
