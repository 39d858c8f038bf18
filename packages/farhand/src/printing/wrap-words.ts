// Colours take no room; a line with any other sign for the terminal is drawn by somebody who knows how wide it is.
const colour = /\p{Cc}\[[\d;]*m/gu
const otherSign = /\p{Cc}/u

/**
 * The same text in lines that fit, broken between words; a line that goes on is as far in as it began, or as is said.
 * What stands in backticks stays in one piece, because it is there to be copied.
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
  // A pair of backticks holds blanks; one without its other is a sign like any.
  for (const [piece, blanks = '', word] of line.trimEnd().matchAll(/(\s*)((?:`[^`]*`|\S)+)/g)) {
    const fits = widthOf(last) + widthOf(piece) <= columns
    if (!fits && last.trim() !== '' && blanks !== '') lines.push(last)
    last = fits || last.trim() === '' || blanks === '' ? `${last}${piece}` : `${indent}${word}`
  }
  return [...lines, last].join('\n')
}

const widthOf = (text: string) => [...text.replace(colour, '')].length
