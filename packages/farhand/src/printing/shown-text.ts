// What moves the cursor, colours the screen or turns lines around; joiners stay, emoji are made with them.
const unseen = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu

/** An agent's words as a terminal may get them: line by line, and nothing that the terminal would obey. */
export const shownText = (text: string) => text.replace(unseen, '')

/** The same with each of these signs in letters, as `cat -v` has them: for what people look at to see what is in it. */
export const spelledText = (text: string) =>
  text.replace(unseen, (sign) => {
    const code = sign.codePointAt(0)!
    return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : `<U+${code.toString(16).padStart(4, '0')}>`
  })

// What Farhand itself writes line by line: it wipes a line, keeps one from going on in the next, and colours.
const esc = String.fromCharCode(0x1b)
const colour = '(?:0|1|2|4|22|24|3[0-69]|107)'
const ownSigns = new RegExp(`(\\r${esc}\\[K|${esc}\\[\\?7[lh]|${esc}\\[${colour}(?:;${colour})*m)`)

/**
 * The last place that all text for a terminal comes by: only signs that Farhand writes itself stay. Others are in
 * letters, and so that JSON is still the same JSON.
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

/** The first line of a text that says something, cut to fit. */
export function firstLine(text: string, most = 100): string {
  const line = shownText(text).trim().split('\n', 1)[0]!.trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
