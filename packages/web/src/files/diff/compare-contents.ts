import { sizeInWords } from '../../text/size-in-words.ts'
import { type Content, mostShownBytes } from '../history/contents.ts'
import { type ShownContent, shownContent } from '../history/shown-content.ts'
import { type DiffLine, diffLines } from './diff-rows.ts'

type Image = { bytes: Uint8Array; mimeType: string }

/** How to show two contents side by side. `notice` is a remark for the user. */
export type Compared = { notice: string | null } & (
  | { is: 'lines'; lines: DiffLine[] }
  | { is: 'images'; before: Image | null; after: Image | null }
  | { is: 'words'; words: string }
)

// A longer comparison takes seconds.
const mostLines = 60_000

/** Decides how to show the change from `before` to `after`; null means no file. */
export function compareContents(before: Content | null, after: Content | null): Compared {
  const [old, now] = [before && shown(before), after && shown(after)]
  const trouble = [after, before].find((side) => side && side.is !== 'bytes')
  if (trouble?.is === 'too-large')
    return words(
      `This file has ${sizeInWords(trouble.size)}; at most ${sizeInWords(mostShownBytes)} can be shown here.`,
    )
  if (trouble && (trouble === after || !now)) return words(goneInWords)
  if (isImage(old) && isImage(now) && (old || now))
    return { is: 'images', before: old, after: now, notice: null }
  const [oldText, newText] = [textOf(old), textOf(now)]
  if ((old?.is === 'binary' || now?.is === 'binary') && !isText(now))
    return words(binaryInWords(before, after))
  if (isImage(now) && now)
    return { is: 'images', before: null, after: now, notice: 'It was not an image before.' }
  if (linesIn(oldText) + linesIn(newText) > mostLines)
    return words(`This file has too many lines to compare: ${linesIn(newText).toLocaleString('en')}.`)
  const lines = diffLines(oldText, newText)
  if (lines.length === 0) return words('This file is empty.')
  return { is: 'lines', lines, notice: noticeOf(before, old, now) }
}

const goneInWords = 'The hub no longer has these contents: it keeps unused contents for 30 days.'
const words = (said: string): Compared => ({ is: 'words', words: said, notice: null })

const shown = (content: Content): ShownContent | null =>
  content.is === 'bytes' ? shownContent(content.bytes) : null
const isText = (side: ShownContent | null) => side === null || side.is === 'text'
const textOf = (side: ShownContent | null) => (side?.is === 'text' ? side.text : '')
const isImage = (side: ShownContent | null): side is (ShownContent & { is: 'image' }) | null =>
  side === null || side.is === 'image'
const linesIn = (text: string) => (text === '' ? 0 : text.split('\n').length)

function binaryInWords(before: Content | null, after: Content | null): string {
  const size = (side: Content | null) => (side?.is === 'bytes' ? sizeInWords(side.bytes.length) : null)
  const [old, now] = [size(before), size(after)]
  if (old && now) return `A binary file: it had ${old} and has ${now} now.`
  return now ? `A binary file of ${now}.` : `It was a binary file of ${old}.`
}

function noticeOf(before: Content | null, old: ShownContent | null, now: ShownContent | null): string | null {
  if (before?.is === 'gone')
    return 'The old contents are no longer stored, so the whole file is shown as it is now.'
  if (old && old.is !== 'text' && now) return 'It was a binary file before.'
  const isOdd = [old, now].some((side) => side?.is === 'text' && !side.isUtf8)
  return isOdd ? 'This file is not UTF-8: some letters may be wrong.' : null
}
