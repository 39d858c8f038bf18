/** The typed messages, and the user's position in them. */
export type TypedHistory = {
  readonly entries: readonly string[]
  /** The shown entry; null while the user is at the new message. */
  readonly at: number | null
  /** The unfinished message from before the user went back. */
  readonly draft: string
}

export const historyOf = (entries: readonly string[]): TypedHistory => ({ entries, at: null, draft: '' })

export function stepInHistory(
  history: TypedHistory,
  by: 'older' | 'newer',
  typed: string,
): { history: TypedHistory; text: string } | null {
  const { entries, at } = history
  if (by === 'older') {
    const next = (at ?? entries.length) - 1
    const draft = at === null ? typed : history.draft
    return next < 0 ? null : { history: { ...history, at: next, draft }, text: entries[next]! }
  }
  if (at === null) return null
  if (at + 1 < entries.length) return { history: { ...history, at: at + 1 }, text: entries[at + 1]! }
  return { history: { ...history, at: null }, text: history.draft }
}

/** Whether a line is added: as in shells, not if it begins with a blank or repeats the last one. */
export const isKept = ({ entries }: TypedHistory, line: string) =>
  line.trim() !== '' && !line.startsWith(' ') && entries.at(-1) !== line

/** The history with one more line, at the new message. */
export const withTyped = (history: TypedHistory, line: string): TypedHistory =>
  historyOf(isKept(history, line) ? [...history.entries, line] : history.entries)
