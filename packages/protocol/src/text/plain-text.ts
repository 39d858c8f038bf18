// Escape sequences would let an agent repaint the terminal in which the user decides, and marks that change the
// direction of writing would show another command than the one that runs.
const unseen = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Foreign text, made safe to show: whole characters, lines and tabs, and no characters that could hide something. */
export function plainText(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(unseen, (mark) => (mark === '\n' || mark === '\t' ? mark : '\ufffd'))
    .toWellFormed()
}

/** The same on one line. */
export const plainLine = (text: string): string => plainText(text).replace(/\s+/g, ' ').trim()

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A part of a text that does not keep the whole text in memory, as a slice does. */
export const partOf = (text: string, from: number, to?: number): string =>
  decoder.decode(encoder.encode(text.slice(from, to)))

/** At most this many characters; a cut text ends with `…`. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${partOf(text, 0, Math.max(0, most - 1))}…`
}

/** The beginning of a text, and how much is not shown: a user must not agree to the rest without knowing of it. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text
  const more = (text.length - most).toLocaleString('en')
  return `${partOf(text, 0, most)}… (${more} more characters)`
}

/** The whole text if it is short enough; else its beginning, its end, and how much between them is not shown. */
export function bothEnds(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const hidden = (text.length - 2 * half).toLocaleString('en')
  return `${partOf(text, 0, half)}… (${hidden} characters are not shown) …${partOf(text, text.length - half)}`
}
