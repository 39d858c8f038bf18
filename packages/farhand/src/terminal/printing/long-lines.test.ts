import { addedText } from '@farhand/device/pull-requests/added-text'
import { pageInPush } from '@farhand/device/pull-requests/pr-page'
import { lineInWords, pathInWords } from '@farhand/device/wording/path-in-words'
import { RunId } from '@farhand/protocol/wire/ids'
import { longLines } from '@farhand/testkit/long-lines'
import { describe, it } from 'vitest'
import { titleFor } from '../../commands/finish/pr-texts.ts'
import { StreamingMarkdown } from '../lines/streaming-markdown.ts'
import { cutToWidth } from '../lines/text-width.ts'
import { toolOutput } from '../output/tool-output.ts'
import { firstLine, shownText } from './shown-text.ts'
import { wrapWords } from './wrap-words.ts'

const functions: Record<string, (line: string) => unknown> = {
  'the markdown of a terminal': (line) => {
    const words = new StreamingMarkdown(true)
    return [words.take(line, 80), words.open(80), words.end(80)]
  },
  'the markdown of a terminal, a whole line': (line) => new StreamingMarkdown(false).take(`${line}\n`, 80),
  'words in lines': (line) => wrapWords(line, 80),
  'the output of a tool': (line) => toolOutput({ content: [], output: line }),
  'text for a terminal': (line) => [shownText(line), firstLine(line), lineInWords(line), pathInWords(line)],
  'what fits into a line': (line) => cutToWidth(line, 80),
  'a patch': (line) => addedText(`@@ -1 +1 @@\n+${line}\n+++ "b/${line}"`),
  'the title of a pull request': (line) => [titleFor(line, RunId.parse('run_12345678')), pageInPush(line)],
}

describe('a line of a megabyte does not freeze the terminal', () => {
  it.each(Object.entries(functions))('%s', { timeout: 120_000 }, (_, read) => {
    for (const line of longLines()) read(line)
  })
})
