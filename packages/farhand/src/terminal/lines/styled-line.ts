import { graphemes, graphemeWidth } from './text-width.ts'

/** Some text in one style; a style is words of the palette, with blanks between. */
export type Span = { text: string; style?: string }

/** One line of a terminal. */
export type Line = readonly Span[]

/** One character in its style. */
export type Cell = { text: string; width: number; style: string }

export const span = (text: string, style = ''): Span => ({ text, style })

/** The characters of a text, all in one style. */
export const cellsOf = (text: string, style = ''): Cell[] =>
  graphemes(text).map((one) => ({ text: one, width: graphemeWidth(one), style }))

/** Characters put together again into as few spans as will do. */
export function spansOf(cells: readonly Cell[]): Span[] {
  const spans: { text: string; style: string }[] = []
  for (const { text, style } of cells) {
    const last = spans.at(-1)
    if (last?.style === style) last.text += text
    else spans.push({ text, style })
  }
  return spans
}
