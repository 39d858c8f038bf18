/** The lines of tool output that are shown without unfolding. */
const mostLines = 5
/** The longest line that is shown beside the tool's name. */
const mostBeside = 100

/** Tools whose result matters to the agent only: the user sees just how long it is. */
const quiet = new Set(['read', 'search', 'fetch', 'think'])

/** The visible part of a tool's output, and how much is folded away. */
export type Folded = {
  /** Shown beside the tool's name. */
  readonly beside: string
  /** Shown below it. */
  readonly last: readonly string[]
  /** How many lines before those are hidden. */
  readonly more: number
  /** Whether anything is hidden. */
  readonly isCut: boolean
}

/** Decides what to show: all lines if they are few, else the last ones, where a command reports its result. */
export function foldedOutput(lines: readonly string[], kind: string | null): Folded {
  if (quiet.has(kind ?? '') && lines.length > 1)
    return { beside: '', last: [], more: lines.length, isCut: true }
  const [only = ''] = lines
  if (lines.length <= 1) {
    const isCut = only.length > mostBeside
    const beside = isCut ? `${only.slice(0, mostBeside - 1)}…` : only.trim()
    return { beside, last: [], more: 0, isCut }
  }
  const last = lines.slice(-mostLines)
  const more = lines.length - last.length
  return { beside: '', last, more, isCut: more > 0 }
}

/** "… 12 more lines", or "… 12 lines" where none of them is shown. */
export const moreInWords = ({ last, more }: Folded): string =>
  `… ${more.toLocaleString('en')}${last.length > 0 ? ' more' : ''} ${more === 1 ? 'line' : 'lines'}`

/** The folded parts of a screen; the user unfolds the newest first, then those before it. */
export class FoldedParts<Part> {
  readonly #parts: Part[] = []
  readonly #most: number

  constructor(most = 50) {
    this.#most = most
  }

  add(part: Part): void {
    this.#parts.push(part)
    if (this.#parts.length > this.#most) this.#parts.shift()
  }

  /** Removes and returns the newest part; null if there is none. */
  next(): Part | null {
    return this.#parts.pop() ?? null
  }
}
