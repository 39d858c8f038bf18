/** With a line like this, at the end of its answer, an agent in a sandbox leaves work for the user's computer. */
export const offerMark = 'FOR YOUR COMPUTER:'

const mostOffered = 10_000

/** What the agent offers to queue for the user's computer; null if it offers nothing. It is text for the user to approve, never more. */
export function offerIn(answer: string): string | null {
  const lines = answer.split('\n')
  const at = lines.findLastIndex((line) => plain(line).toUpperCase().startsWith(offerMark))
  if (at < 0) return null
  const first = plain(lines[at]!).slice(offerMark.length)
  const text = [first, ...lines.slice(at + 1)].join('\n').replaceAll('**', '').trim()
  return text === '' ? null : text.slice(0, mostOffered)
}

/** Agents like to write such a line in bold, as a heading, or as an item of a list. */
const plain = (line: string) => line.replace(/^[\s>*_#-]+/, '').replaceAll('**', '')
