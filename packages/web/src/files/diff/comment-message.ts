/** What somebody has to say of a line, and the line as it stood when they said it. */
export type LineComment = {
  id: number
  path: string
  /** `before`: a line that is no longer there, counted as it was. */
  side: 'before' | 'after'
  line: number
  quoted: string
  text: string
}

const longestQuote = 300

/** One message to the agent out of several comments: by file and line, each with the line that it is about. */
export function commentMessage(comments: readonly LineComment[]): string {
  const sorted = [...comments].sort(
    (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) || a.line - b.line || a.id - b.id,
  )
  return sorted.map(inWords).join('\n\n')
}

function inWords({ path, side, line, quoted, text }: LineComment): string {
  const place = side === 'after' ? `${path}:${line}` : `${path}, line ${line} of what was there before`
  const quote = quoted.length > longestQuote ? `${quoted.slice(0, longestQuote)}…` : quoted
  // A fence that the line itself could end would let the line speak as if it were the person.
  const fence = '`'.repeat(Math.max(3, ...[...quote.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return `${place}\n${fence}\n${quote}\n${fence}\n${text.trim()}`
}
