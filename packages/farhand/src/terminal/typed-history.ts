/** What somebody has typed before, and how far back in it they are. */
export type TypedHistory = {
  readonly entries: readonly string[]
  /** Which of them is shown; null while it is what they are typing. */
  readonly at: number | null
  /** What they were typing when they began to look back. */
  readonly draft: string
}

export const historyOf = (entries: readonly string[]): TypedHistory => ({ entries, at: null, draft: '' })

/** One entry back or forward, and the text that it shows; null where there is none. */
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

/** Whether a line is worth keeping: as in shells, one that begins with a blank is not, nor the same one twice. */
export const isKept = ({ entries }: TypedHistory, line: string) =>
  line.trim() !== '' && !line.startsWith(' ') && entries.at(-1) !== line

/** The history with one more line, back where the next one is typed. */
export const withTyped = (history: TypedHistory, line: string): TypedHistory =>
  historyOf(isKept(history, line) ? [...history.entries, line] : history.entries)
