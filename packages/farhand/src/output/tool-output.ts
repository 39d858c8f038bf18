import { BlobMarker } from '@farhand/protocol/events/blob-marker'
import { z } from 'zod'
import { sizeInWords } from '../printing/file-size.ts'
import { shownText } from '../printing/shown-text.ts'

const Block = z.looseObject({
  content: z.looseObject({
    text: z.unknown().optional(),
    resource: z.looseObject({ text: z.unknown().optional() }).optional().catch(undefined),
  }),
})

/** Fields of `rawOutput` in which some agents put a command's output instead of the tool call's content. */
const rawNames = ['formatted_output', 'aggregated_output', 'output', 'stdout', 'stderr'] as const

/**
 * The lines that a tool printed, without terminal control characters and without the code fence that some agents add.
 */
export function toolOutput(content: readonly unknown[], rawOutput: unknown): string[] {
  const said = content.flatMap(textOf).join('\n')
  return linesOf(said.trim() === '' ? rawText(rawOutput) : said)
}

function textOf(content: unknown): string[] {
  const block = Block.safeParse(content).data?.content
  const text = block?.text ?? block?.resource?.text
  if (typeof text === 'string') return [text]
  const marker = BlobMarker.safeParse(text).data
  return marker ? [`${marker.head}\n… cut here: ${sizeInWords(marker.size)} in all`] : []
}

function rawText(raw: unknown): string {
  if (typeof raw === 'string') return raw
  if (typeof raw !== 'object' || raw === null) return ''
  const found = rawNames.flatMap((name) => {
    const text = (raw as Record<string, unknown>)[name]
    return typeof text === 'string' && text.trim() !== '' ? [text] : []
  })
  const [first = '', second = ''] = found
  // `stdout` and `stderr` belong together; the other fields are the whole output.
  return 'stdout' in raw && first === (raw as { stdout: unknown }).stdout ? `${first}\n${second}` : first
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
