// Characters that move the cursor, colour the screen or reverse lines. Joiners stay: emoji are made with them.
const unseen = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu

/** Text of an agent without the characters that a terminal would obey; line ends and tabs stay. */
export const shownText = (text: string) => text.replace(unseen, '')

/** The same text with each of these characters spelled out, as `cat -v` does, for output that shows what a file contains. */
export const spelledText = (text: string) =>
  text.replace(unseen, (sign) => {
    const code = sign.codePointAt(0)!
    return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : `<U+${code.toString(16).padStart(4, '0')}>`
  })

// The control sequences that Farhand itself prints: clear the line, switch line wrapping, and colours.
const esc = String.fromCharCode(0x1b)
const colour = '(?:0|1|2|4|22|24|3[0-69]|107)'
const ownSigns = new RegExp(`(\\r${esc}\\[K|${esc}\\[\\?7[lh]|${esc}\\[${colour}(?:;${colour})*m)`)

/**
 * All text for a terminal passes through this last: only control sequences of Farhand's own stay. Others are spelled out, in a
 * way that leaves JSON the same JSON.
 */
export function harmless(text: string): string {
  if (text.search(unseen) === -1) return text
  const spelled = (part: string) =>
    part.replace(unseen, (sign) => {
      const code = sign.codePointAt(0)!
      return code < 0x7f ? `^${String.fromCharCode(code ^ 0x40)}` : `\\u${code.toString(16).padStart(4, '0')}`
    })
  return text
    .split(ownSigns)
    .map((part, at) => (at % 2 === 1 ? part : spelled(part)))
    .join('')
}

/** The first line of a text that is not empty, cut to fit. */
export function firstLine(text: string, most = 100): string {
  const line = shownText(text).trim().split('\n', 1)[0]!.trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
