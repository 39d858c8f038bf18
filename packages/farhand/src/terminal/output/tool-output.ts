import { trimEndChars } from '@farhand/kit/trim-end-chars'
import type { ToolItem } from '@farhand/story/items/story'
import { printedText } from '@farhand/story/wording/tool-in-words'
import { sizeInWords } from '../printing/file-size.ts'
import { shownText } from '../printing/shown-text.ts'

/**
 * The lines that a tool printed, without terminal control characters and without the code fence that some agents add.
 */
export function toolOutput({ content, output }: Pick<ToolItem, 'content' | 'output'>): string[] {
  const said = content.flatMap(textOf).join('\n')
  return linesOf(said.trim() === '' ? printedText(output) : said)
}

function textOf(part: ToolItem['content'][number]): string[] {
  if (part.is === 'text') return [part.text]
  return part.is === 'blob' ? [`${part.head}\n… cut here: ${sizeInWords(part.size)} in all`] : []
}

function linesOf(text: string): string[] {
  const all = text.split('\n').map((line) => shownText(lastState(line)).trimEnd())
  const lines = withoutBlankEnds(all)
  if (!lines[0]?.trimStart().startsWith('```')) return lines
  const end = lines.length > 1 && lines.at(-1)?.trim() === '```' ? -1 : undefined
  return withoutBlankEnds(lines.slice(1, end))
}

function withoutBlankEnds(lines: readonly string[]): string[] {
  const from = lines.findIndex((line) => line !== '')
  return from === -1 ? [] : lines.slice(from, lines.findLastIndex((line) => line !== '') + 1)
}

/** A progress bar rewrites its line with carriage returns: only the last state counts. */
function lastState(line: string): string {
  const bare = line.endsWith('\r') ? line.slice(0, -1) : line
  return bare.slice(bare.lastIndexOf('\r') + 1)
}

const mostLines = 20

/** The last lines of a text, and how many are left out. */
export function lastLines(text: string): string {
  const lines = trimEndChars(text, '\n').split('\n')
  if (lines.length <= mostLines) return lines.join('\n')
  return [`… ${lines.length - mostLines} more lines`, ...lines.slice(-mostLines)].join('\n')
}
