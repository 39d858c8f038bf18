import type { Key } from './keys/key-reader.ts'
import { graphemes } from './lines/text-width.ts'

/** The text being typed, possibly with several lines, and the cursor. */
export type Draft = {
  readonly text: string
  /** The cursor, as an index of the text. */
  readonly at: number
  /** The text that was cut last, for yank. */
  readonly cut: string
}

export const emptyDraft: Draft = { text: '', at: 0, cut: '' }

/** The same draft with another text, its cursor at the end. */
export const draftWith = (draft: Draft, text: string): Draft => ({ ...draft, text, at: text.length })

/** The draft after one more key; null if the key does not edit text. */
export function edited(draft: Draft, key: Key): Draft | null {
  const { text, at } = draft
  switch (key.is) {
    case 'text':
    case 'paste':
      return inserted(draft, key.text)
    case 'newline':
      return inserted(draft, '\n')
    case 'yank':
      return inserted(draft, draft.cut)
    case 'left':
      return { ...draft, at: before(draft) }
    case 'right':
      return { ...draft, at: after(draft) }
    case 'word-left':
      return { ...draft, at: wordBefore(text, at) }
    case 'word-right':
      return { ...draft, at: wordAfter(text, at) }
    case 'home':
      return { ...draft, at: lineBegin(text, at) }
    case 'end':
      return { ...draft, at: lineEnd(text, at) }
    case 'up':
      return besides(draft, -1)
    case 'down':
      return besides(draft, 1)
    case 'backspace':
      return without(draft, before(draft), at, false)
    case 'delete':
      return without(draft, at, after(draft), false)
    case 'kill-word':
      return without(draft, wordBefore(text, at), at, true)
    case 'kill-next-word':
      return without(draft, at, wordAfter(text, at), true)
    case 'kill-to-start':
      return without(draft, lineBegin(text, at), at, true)
    case 'kill-to-end':
      // At the end of a line it removes the line break.
      return without(draft, at, Math.max(lineEnd(text, at), at + 1), true)
    default:
      return null
  }
}

function inserted({ text, at, cut }: Draft, more: string): Draft {
  return { text: text.slice(0, at) + more + text.slice(at), at: at + more.length, cut }
}

function without(draft: Draft, from: number, to: number, isKept: boolean): Draft {
  const gone = draft.text.slice(from, to)
  if (gone === '') return draft
  const text = draft.text.slice(0, from) + draft.text.slice(to)
  return { text, at: from, cut: isKept ? gone : draft.cut }
}

const before = ({ text, at }: Draft) => at - (graphemes(text.slice(0, at)).at(-1)?.length ?? 0)
const after = ({ text, at }: Draft) => at + (graphemes(text.slice(at))[0]?.length ?? 0)

// Character by character: a regular expression anchored at the end would take quadratic time on a long paste.
function wordBefore(text: string, at: number): number {
  const sign = (end: number) =>
    /[\udc00-\udfff]/.test(text[end - 1]!) ? text.slice(end - 2, end) : text[end - 1]!
  const isOfWord = (end: number) => /^[\p{L}\p{N}_]/u.test(sign(end))
  let from = at
  while (from > 0 && !isOfWord(from)) from -= sign(from).length
  while (from > 0 && isOfWord(from)) from -= sign(from).length
  return Math.max(0, from)
}
const wordAfter = (text: string, at: number) =>
  at + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(at))?.[0].length ?? 0)

const lineBegin = (text: string, at: number) => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)
const lineEnd = (text: string, at: number) => {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** The same column in the line above or below; null if there is no such line. */
function besides(draft: Draft, by: -1 | 1): Draft | null {
  const { text, at } = draft
  const begin = lineBegin(text, at)
  const end = lineEnd(text, at)
  if (by === -1 ? begin === 0 : end === text.length) return null
  const other = by === -1 ? lineBegin(text, begin - 1) : end + 1
  const column = graphemes(text.slice(begin, at)).length
  const line = graphemes(text.slice(other, lineEnd(text, other)))
  return { ...draft, at: other + line.slice(0, column).join('').length }
}
