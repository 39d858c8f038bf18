/** What somebody is in the middle of naming: a command of the agent, or a file. `from` to `to` is replaced by the choice. */
export type Typed = { is: 'command' | 'file'; query: string; from: number; to: number }

/**
 * What the word at the caret asks for: a command only as the very first word, a file after an `@` that begins a word.
 * Null for a mail address, a path, and everything else.
 */
export function typedAt(text: string, caret: number): Typed | null {
  const before = text.slice(0, caret)
  const word = before.slice(lastBlank(before) + 1)
  const from = caret - word.length
  // What stands right behind the caret belongs to the word: choosing in its middle would leave its end behind.
  const to = caret + /^\S*/.exec(text.slice(caret))![0].length
  if (word.startsWith('/') && from === 0 && !word.slice(1).includes('/'))
    return { is: 'command', query: word.slice(1), from, to }
  if (word.startsWith('@')) return { is: 'file', query: word.slice(1), from, to }
  return null
}

function lastBlank(text: string): number {
  let at = text.length - 1
  while (at >= 0 && !/\s/.test(text[at]!)) at -= 1
  return at
}

/** The text with what was being typed replaced, and where the caret goes. */
export function withChoice(
  text: string,
  { from, to }: Typed,
  choice: string,
): { text: string; caret: number } {
  const rest = text.slice(to)
  const gap = rest.startsWith(' ') ? '' : ' '
  return { text: text.slice(0, from) + choice + gap + rest, caret: from + choice.length + 1 }
}
