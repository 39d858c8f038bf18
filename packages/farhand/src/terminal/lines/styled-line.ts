import { graphemes, graphemeWidth } from './text-width.ts'

/** Text in one style; a style is one or more names of the palette, separated by blanks. */
export type Span = { text: string; style?: string }

export type Line = readonly Span[]

export type Cell = { text: string; width: number; style: string }

export const span = (text: string, style = ''): Span => ({ text, style })

/** The characters of a text, all in one style. */
export const cellsOf = (text: string, style = ''): Cell[] =>
  graphemes(text).map((one) => ({ text: one, width: graphemeWidth(one), style }))

/** Joins neighbouring cells of the same style. */
export function spansOf(cells: readonly Cell[]): Span[] {
  const spans: { text: string; style: string }[] = []
  for (const { text, style } of cells) {
    const last = spans.at(-1)
    if (last?.style === style) last.text += text
    else spans.push({ text, style })
  }
  return spans
}
