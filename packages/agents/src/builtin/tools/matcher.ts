import { createContext, Script } from 'node:vm'

export type Match = { line: number; text: string }

const longestLine = 2_000
const longestShown = 300

/** The pattern, or an error that says what is wrong with it. */
export function patternOf(source: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(source, ignoreCase ? 'iu' : 'u')
  } catch {
    // Much that people escape for other engines is only wrong under the strict flag.
    return new RegExp(source, ignoreCase ? 'i' : '')
  }
}

/** Finds the lines that match; what it gives back throws when the pattern takes longer than `mostMs` over a text. */
export function matcher(pattern: RegExp, mostMs = 2_000): (text: string) => Match[] {
  const room = createContext({ pattern, lines: [] as string[] })
  // With names of its own: each look at one from outside costs more than a match.
  const matching = new Script(
    '((pattern, lines) => lines.flatMap((line, at) => (pattern.test(line) ? [at] : [])))(pattern, lines)',
  )
  return (text) => {
    const lines = text.split(/\r?\n/).map((line) => line.slice(0, longestLine))
    room.lines = lines
    // A pattern like (a+)+$ can take for ever, and nothing else, not even a cancel, would get its turn meanwhile.
    const found = matching.runInContext(room, { timeout: mostMs }) as number[]
    return found.map((at) => ({ line: at + 1, text: (lines[at] ?? '').trim().slice(0, longestShown) }))
  }
}
