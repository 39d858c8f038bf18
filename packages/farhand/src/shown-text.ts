// What moves the cursor, colours the screen or turns lines around; joiners stay, emoji are made with them.
const unseen = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu

/** An agent's words as a terminal may get them: line by line, and nothing that the terminal would obey. */
export const shownText = (text: string) => text.replace(unseen, '')

/** The first line of a text that says something, cut to fit. */
export function firstLine(text: string, most = 100): string {
  const line = shownText(text).trim().split('\n', 1)[0]!.trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
