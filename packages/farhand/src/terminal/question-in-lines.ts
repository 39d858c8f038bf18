import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { StreamingMarkdown } from './lines/streaming-markdown.ts'
import { cellsOf, type Line, span, spansOf } from './lines/styled-line.ts'
import { textWidth } from './lines/text-width.ts'
import { wrapCells } from './lines/wrap-cells.ts'
import { shownText } from './printing/shown-text.ts'
import { optionKey } from './question-panel.ts'
import { questionInWords } from './questions/question-in-words.ts'

type Window = { columns: number; rows: number; keepsMarks: boolean }

/**
 * The full question, shown above its answers. Permissions are shown without markdown, which could hide part of a
 * command.
 */
export function questionInLines(asked: OpenQuestion, { columns, rows, keepsMarks }: Window): Line[] {
  const room = Math.max(8, columns - 1)
  // The options and the default are shown where the user answers.
  const [first = '', ...rest] = questionInWords({ ...asked, options: null, default: null, form: null })
  const isLiteral = asked.kind === 'permission' && !asked.isPlan
  const text = new StreamingMarkdown(keepsMarks, { isCut: false, style: isLiteral ? '' : null })
  return [
    ...broken(first, room, 'asked'),
    ...text.take(rest.map((line) => `${line}\n`).join(''), room),
    ...optionsWithoutRoom(asked, room, rows),
  ]
}

/** All options in full length, if the rows of the panel are too short for them. */
function optionsWithoutRoom({ options }: OpenQuestion, room: number, rows: number): Line[] {
  const names = (options ?? []).map((option) =>
    shownText(typeof option === 'string' ? option : option.name).trim(),
  )
  const hasRoom = names.every(
    (name) => !name.includes('\n') && name.length <= 500 && 5 + textWidth(name) <= room,
  )
  if (hasRoom && names.length <= Math.ceil((rows - 1) * 0.7) - 1) return []
  return names.flatMap((name, at) =>
    name
      .split('\n')
      .flatMap((line) => broken(line, Math.max(8, room - 5)))
      .map((line, row) => [span(row === 0 ? `  ${optionKey(at)}  ` : '     '), ...line]),
  )
}

const broken = (text: string, room: number, style = ''): Line[] =>
  wrapCells(cellsOf(text.replaceAll('\t', ' '), style), room).map(({ cells }) => spansOf(cells))
