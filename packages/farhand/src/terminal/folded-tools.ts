import { diffInLines } from './lines/diff-in-lines.ts'
import { foldedInLines, unfolded } from './lines/folded-in-lines.ts'
import { type Line, span } from './lines/styled-line.ts'
import { FoldedParts } from './output/folded-output.ts'
import type { Piece } from './run-screen/piece.ts'

/** What tools have done, in lines. What these hide can be unfolded later, the newest first. */
export class FoldedTools {
  readonly #parts = new FoldedParts<(width: number) => Line[]>()

  /** The line for a tool that has ended, the end of its output, and what it changed. */
  ended(
    { name, state, kind, output, changes }: Extract<Piece, { as: 'tool' }>,
    width: number,
  ): { line: Line; below: Line[] } {
    const isFailed = state === 'failed'
    const sign = isFailed ? span('✗ ', 'removed') : span('✓ ', 'added')
    const style = isFailed ? 'warning' : 'dim'
    const shown = foldedInLines(output, kind, width, style)
    const line = [sign, span(name, isFailed ? style : ''), span(shown.beside, style)]
    return { line, below: [...shown.below, ...this.changes(name, changes, width, shown.isCut ? output : [])] }
  }

  /** The diffs of a tool; everything is remembered if a part of them, or of the tool's output, is hidden. */
  changes(
    name: string,
    content: readonly unknown[],
    width: number,
    hiddenOutput: readonly string[] = [],
  ): Line[] {
    const lines = diffInLines(content, width)
    const isWhole = lines.length === diffInLines(content, width, Number.POSITIVE_INFINITY).length
    if (!isWhole || hiddenOutput.length > 0)
      this.#parts.add((room) => unfolded(name, hiddenOutput, content, room))
    return lines
  }

  /** The line for a warning whose original message is hidden. */
  warning(text: string, raw: string): Line {
    this.#parts.add((width) => unfolded('as the agent said it', raw.split('\n'), [], width))
    return [span(text, 'warning'), span(' (Ctrl-O shows all of it)', 'dim')]
  }

  /** The newest hidden part, which is then no longer remembered; null if there is none. */
  next(width: number): Line[] | null {
    return this.#parts.next()?.(width) ?? null
  }
}
