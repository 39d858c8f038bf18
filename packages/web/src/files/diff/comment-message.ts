/** A comment on a line, with the text of the line at that time. */
export type LineComment = {
  id: number
  path: string
  /** `before`: a removed line, with its old line number. */
  side: 'before' | 'after'
  line: number
  quoted: string
  text: string
}

const longestQuote = 300

/** One message to the agent with all comments, by file and line; each quotes its line. */
export function commentMessage(comments: readonly LineComment[]): string {
  const sorted = [...comments].sort(
    (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) || a.line - b.line || a.id - b.id,
  )
  return sorted.map(inWords).join('\n\n')
}

function inWords({ path, side, line, quoted, text }: LineComment): string {
  const place = side === 'after' ? `${path}:${line}` : `${path}, line ${line} of the old version`
  const quote = quoted.length > longestQuote ? `${quoted.slice(0, longestQuote)}…` : quoted
  // A longer fence than any in the quote, so that the quoted line cannot end it and pose as the user's words.
  const fence = '`'.repeat(Math.max(3, ...[...quote.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return `${place}\n${fence}\n${quote}\n${fence}\n${text.trim()}`
}
