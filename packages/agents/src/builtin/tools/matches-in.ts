import { createContext, Script } from 'node:vm'

export type Match = { line: number; text: string }

const longestLine = 2_000
const longestShown = 300

const matching = new Script('lines.flatMap((line, at) => (pattern.test(line) ? [at] : []))')

/** The pattern, or an error that says what is wrong with it. */
export function patternOf(source: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(source, ignoreCase ? 'iu' : 'u')
  } catch {
    // Much that people escape for other engines is only wrong under the strict flag.
    return new RegExp(source, ignoreCase ? 'i' : '')
  }
}

/** The lines that match; throws when the pattern takes longer than `mostMs` over them. */
export function matchesIn(text: string, pattern: RegExp, mostMs = 2_000): Match[] {
  const lines = text.split(/\r?\n/).map((line) => line.slice(0, longestLine))
  // A pattern like (a+)+$ can take for ever, and nothing else, not even a cancel, would get its turn meanwhile.
  const found = matching.runInContext(createContext({ lines, pattern }), { timeout: mostMs }) as number[]
  return found.map((at) => ({ line: at + 1, text: (lines[at] ?? '').trim().slice(0, longestShown) }))
}
