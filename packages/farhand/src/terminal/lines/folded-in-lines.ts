import { foldedOutput, moreInWords } from '../output/folded-output.ts'
import { diffInLines } from './diff-in-lines.ts'
import { cellsOf, type Line, span, spansOf } from './styled-line.ts'
import { cutToWidth, textWidth } from './text-width.ts'
import { wrapCells } from './wrap-cells.ts'

const key = 'Ctrl-O'

/** The visible part of a tool's output, wrapped to the window, and whether anything is hidden. */
export function foldedInLines(
  output: readonly string[],
  kind: string | null,
  width: number,
  style: string,
): { beside: string; below: Line[]; isCut: boolean } {
  const folded = foldedOutput(output, kind)
  const { last, more, isCut } = folded
  const hasRow = more > 0 && last.length > 0
  const row: Line[] = hasRow ? [[span(`  ${moreInWords(folded)} · ${key} shows them`, 'dim')]] : []
  const texts = last.map((text) => `  ${text.replaceAll('\t', '    ')}`)
  const isWide = texts.some((text) => textWidth(text) > width)
  const below = texts.map((text): Line => [span(cutToWidth(text, width), style)])
  const all = isCut && !hasRow ? `${more > 0 ? moreInWords(folded) : ''} (${key} shows all)`.trimStart() : ''
  const beside = [folded.beside, all].filter((text) => text !== '').join('  ')
  return { beside: beside && `  ${beside}`, below: [...row, ...below], isCut: isCut || isWide }
}

/** Everything that was folded: name, output, and diffs. */
export const unfolded = (
  name: string,
  output: readonly string[],
  content: readonly unknown[],
  width: number,
): Line[] => [
  [span(`── ${name}`, 'dim')],
  ...output.flatMap((text) => brokenLine(text, width)),
  ...diffInLines(content, width, Number.POSITIVE_INFINITY),
]

/** Wraps one line of program output. */
const brokenLine = (text: string, width: number): Line[] =>
  wrapCells(cellsOf(text.replaceAll('\t', '    ')), width, true).map(({ cells }) => spansOf(cells))
