/** The command or file that the user is typing. The choice replaces the text from `from` to `to`. */
export type CompletionTarget = { is: 'command' | 'file'; query: string; from: number; to: number }

/**
 * The command or file name at the caret: a command only as the very first word, a file after an `@` that starts a
 * word. Null for an e-mail address, a path, and everything else.
 */
export function completionAt(text: string, caret: number): CompletionTarget | null {
  const before = text.slice(0, caret)
  const word = before.slice(lastBlank(before) + 1)
  const from = caret - word.length
  // The letters right after the caret belong to the word; otherwise they would stay behind the inserted name.
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

/** The text with the typed word replaced, and the new caret position. */
export function withCompletion(
  text: string,
  { from, to }: CompletionTarget,
  choice: string,
): { text: string; caret: number } {
  const rest = text.slice(to)
  const gap = rest.startsWith(' ') ? '' : ' '
  return { text: text.slice(0, from) + choice + gap + rest, caret: from + choice.length + 1 }
}

export type Meaning = { is: 'shell'; command: string } | { is: 'say'; text: string }

/** What sending a text does: `!` at the start runs the rest as a shell command. Null if there is nothing to send. */
export function meaningOf(text: string, attachments: number): Meaning | null {
  const said = text.trim()
  if (said.startsWith('!')) {
    const command = said.slice(1).trim()
    return command === '' ? null : { is: 'shell', command }
  }
  return said === '' && attachments === 0 ? null : { is: 'say', text: said }
}
