export type FencedPart = { is: 'words'; text: string } | { is: 'code'; text: string; lang: string }

const opening = /^ {0,3}(`{3,})(?=[^`]*$)[ \t]*([\w+#.-]{0,30})/
const closing = /^ {0,3}(`{3,})[ \t]*$/

/** Splits a text into fenced code and other text, which stays as typed. */
export function fencedParts(text: string): FencedPart[] {
  if (!text.includes('```')) return [{ is: 'words', text }]
  const lines = text.split('\n')
  const longest = longestEnds(lines)
  const parts: FencedPart[] = []
  let from = 0
  for (let at = 0; at < lines.length; at += 1) {
    const [, ticks, lang] = opening.exec(lines[at]!) ?? []
    // Search for the end only if there is one: many unclosed fences would each search to the end of the text.
    if (!ticks || longest[at + 1]! < ticks.length) continue
    let end = at + 1
    while (endLength(lines[end]!) < ticks.length) end += 1
    parts.push(...words(lines.slice(from, at)))
    parts.push({ is: 'code', text: lines.slice(at + 1, end).join('\n'), lang: lang?.toLowerCase() ?? '' })
    at = end
    from = end + 1
  }
  return parts.length === 0 ? [{ is: 'words', text }] : [...parts, ...words(lines.slice(from))]
}

/** Drops empty lines beside code: the frame of the code separates it now. */
function words(lines: readonly string[]): FencedPart[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  if (first === -1) return []
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return [{ is: 'words', text: lines.slice(first, last + 1).join('\n') }]
}

const endLength = (line: string) => closing.exec(line)?.[1]?.length ?? 0

/** For each line, the length of the longest closing fence at or below it. */
function longestEnds(lines: readonly string[]): number[] {
  const longest = new Array<number>(lines.length + 1).fill(0)
  for (let at = lines.length - 1; at >= 0; at -= 1)
    longest[at] = Math.max(longest[at + 1]!, endLength(lines[at]!))
  return longest
}
