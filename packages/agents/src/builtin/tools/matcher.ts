import { createContext, Script } from 'node:vm'

export type Match = { line: number; text: string }

const longestLine = 2_000
const longestShown = 300

/** Compiles the pattern; throws an error that explains what is wrong. */
export function patternOf(source: string, ignoreCase: boolean): RegExp {
  try {
    return new RegExp(source, ignoreCase ? 'iu' : 'u')
  } catch {
    // Many escapes for other engines are only invalid under the strict `u` flag.
    return new RegExp(source, ignoreCase ? 'i' : '')
  }
}

/** Returns a function that finds the matching lines; it throws if the pattern takes longer than `mostMs` for one text. */
export function matcher(pattern: RegExp, mostMs = 2_000): (text: string) => Match[] {
  const room = createContext({ pattern, lines: [] as string[] })
  // With local names: each access to an outer one costs more than a match.
  const matching = new Script(
    '((pattern, lines) => lines.flatMap((line, at) => (pattern.test(line) ? [at] : [])))(pattern, lines)',
  )
  return (text) => {
    const lines = text.split(/\r?\n/).map((line) => line.slice(0, longestLine))
    room.lines = lines
    // A pattern like (a+)+$ can run forever and would block everything else, even a cancel.
    const found = matching.runInContext(room, { timeout: mostMs }) as number[]
    return found.map((at) => ({ line: at + 1, text: (lines[at] ?? '').trim().slice(0, longestShown) }))
  }
}
