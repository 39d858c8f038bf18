/** How many lines of what a tool printed are shown without being asked for. */
const mostLines = 5
/** A line that stands behind the name of its tool. */
const mostBeside = 100

/** Kinds of tools whose result is for the agent: a person wants to know that there is one, and seldom more. */
const quiet = new Set(['read', 'search', 'fetch', 'think'])

/** What is shown of what a tool printed, and how many lines that leaves out. */
export type Folded = {
  /** Stands behind the name of the tool. */
  readonly beside: string
  /** Stands below it. */
  readonly last: readonly string[]
  /** How many lines come before those; 0 if none. */
  readonly more: number
  /** Whether something is not shown at all. */
  readonly isCut: boolean
}

/** Decides what is shown of these lines: all if they are few, else the last ones, where a command says how it went. */
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

/** What was folded away on a screen, so that a person can have it unfolded: the newest first, then those before it. */
export class Unfolding<Part> {
  readonly #parts: Part[] = []
  readonly #most: number

  constructor(most = 50) {
    this.#most = most
  }

  add(part: Part): void {
    this.#parts.push(part)
    if (this.#parts.length > this.#most) this.#parts.shift()
  }

  /** The newest that was not given yet; null if there is none. */
  next(): Part | null {
    return this.#parts.pop() ?? null
  }
}
