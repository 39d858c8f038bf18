// Colours have no width. A line with any other control character is left as it is: its writer has fitted it to the window.
const colour = /\p{Cc}\[[\d;]*m/gu
const otherSign = /\p{Cc}/u

/**
 * Breaks lines between words so that they fit. The rest of a broken line is indented as its beginning, or by `hang`.
 * Text in backticks stays on one line, so that it can be copied.
 */
export function wrapWords(text: string, columns: number, hang?: number): string {
  const lines = text.split('\n')
  return lines.map((line) => (widthOf(line) > columns ? broken(line, columns, hang) : line)).join('\n')
}

function broken(line: string, columns: number, hang?: number): string {
  if (otherSign.test(line.replace(colour, ''))) return line
  const indent = ' '.repeat(hang ?? line.search(/\S|$/))
  const lines: string[] = []
  let last = ''
  // Blanks between a pair of backticks are no place for a break; a single backtick is an ordinary character.
  for (const [piece, blanks = '', word] of line.trimEnd().matchAll(/(\s*)((?:`[^`]*`|\S)+)/g)) {
    const fits = widthOf(last) + widthOf(piece) <= columns
    if (!fits && last.trim() !== '' && blanks !== '') lines.push(last)
    last = fits || last.trim() === '' || blanks === '' ? `${last}${piece}` : `${indent}${word}`
  }
  return [...lines, last].join('\n')
}

const widthOf = (text: string) => [...text.replace(colour, '')].length
