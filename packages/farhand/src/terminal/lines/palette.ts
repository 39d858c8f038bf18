import { shownText } from '../printing/shown-text.ts'
import type { Line } from './styled-line.ts'

export type ColorDepth = 0 | 16 | 256

const sixteen: Readonly<Record<string, string>> = {
  bold: '1',
  dim: '2',
  italic: '3',
  underline: '4',
  heading: '1;36',
  code: '36',
  link: '4;36',
  added: '32',
  removed: '31',
  warning: '33',
  asked: '1',
  chosen: '1;36',
  mine: '1',
  spinner: '36',
}

const many: typeof sixteen = {
  ...sixteen,
  heading: '1;38;5;75',
  code: '38;5;180',
  link: '4;38;5;75',
  added: '38;5;114',
  removed: '38;5;174',
  warning: '38;5;221',
  chosen: '1;38;5;75',
  spinner: '38;5;75',
}

export function colorDepth(
  isColored: boolean,
  env: Readonly<Record<string, string | undefined>>,
): ColorDepth {
  if (!isColored) return 0
  const isRich = /256|truecolor|24bit|direct/.test(`${env.TERM ?? ''} ${env.COLORTERM ?? ''}`)
  return isRich ? 256 : 16
}

/** A line with the escape codes of this colour depth; without colours only the text and the cursor. */
export function painted(line: Line, depth: ColorDepth): string {
  const table = depth === 256 ? many : sixteen
  return line
    .map(({ text, style }) => {
      const words = (style ?? '').split(' ')
      const codes = words.flatMap((word) => (word === 'cursor' ? '7' : (depth !== 0 && table[word]) || []))
      // All text passes here: no control character may reach the terminal.
      const shown = shownText(text).replace(/[\n\t]/g, '')
      return codes.length === 0 ? shown : `\x1b[${codes.join(';')}m${shown}\x1b[0m`
    })
    .join('')
}
