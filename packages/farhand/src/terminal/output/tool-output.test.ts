import { toolContent } from '@farhand/story/fold/tool-content'
import { expect, it } from 'vitest'
import { FoldedParts, foldedOutput, moreInWords } from './folded-output.ts'
import { lastLines, toolOutput as outputOf } from './tool-output.ts'

const text = (text: unknown) => ({ type: 'content', content: { type: 'text', text } })
const toolOutput = (content: unknown, output: unknown, blobs: readonly string[] = []) =>
  outputOf({ content: toolContent(content, blobs), output })
const numbers = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}`)

it('what a tool printed is read from its content, or from where agents put it instead, without fences around it', () => {
  expect(toolOutput([text('```console\n\n# Stats\nMeans\n```\n')], null)).toEqual(['# Stats', 'Means'])
  expect(toolOutput([text('```\n```')], null)).toEqual([])
  expect(toolOutput([], 'one\ntwo\n')).toEqual(['one', 'two'])
  expect(toolOutput([], { formatted_output: 'both', stdout: 'b', stderr: 'oth' })).toEqual(['both'])
  expect(toolOutput([], { stdout: 'out\n', stderr: 'err' })).toEqual(['out', '', 'err'])
  expect(toolOutput([{ type: 'diff', path: 'a' }, 7, null], { exitCode: 0 })).toEqual([])
})

it('a progress bar is shown as it ended, and nothing in the output commands the terminal', () => {
  expect(toolOutput([text('1%\r50%\r100%\r\ndone\x1b[2J')], null)).toEqual(['100%', 'done[2J'])
})

it('output that is not in the log as a whole says so', () => {
  const marker = { _blob: `sha256_${'0'.repeat(64)}`, size: 3_000_000, head: 'first' }
  const [first, cut] = toolOutput([text(marker)], null, [marker._blob])
  expect(first).toBe('first')
  expect(cut).toMatch(/^… cut here: \S+ MiB in all$/)
})

it('one line stands beside its tool, a few below it, and of many the last ones', () => {
  expect(foldedOutput(['one'], 'execute')).toEqual({ beside: 'one', last: [], more: 0, isCut: false })
  expect(foldedOutput(['one', 'two'], 'execute')).toMatchObject({ last: ['one', 'two'], isCut: false })
  const many = foldedOutput(numbers(12), 'execute')
  expect(many).toEqual({ beside: '', last: ['8', '9', '10', '11', '12'], more: 7, isCut: true })
  expect(moreInWords(many)).toBe('… 7 more lines')
  expect(moreInWords(foldedOutput(numbers(6), null))).toBe('… 1 more line')
})

it('a file that was read is counted and not shown, and a line that is too long is cut with a sign', () => {
  const read = foldedOutput(numbers(2000), 'read')
  expect([read.last, moreInWords(read)]).toEqual([[], '… 2,000 lines'])
  const long = foldedOutput(['x'.repeat(900)], 'execute')
  expect([long.beside.length, long.beside.at(-1), long.isCut]).toEqual([100, '…', true])
})

it('what was folded is unfolded from the newest back, each once, and old ones are forgotten', () => {
  const unfolding = new FoldedParts<number>(2)
  for (const part of [1, 2, 3]) unfolding.add(part)
  expect([unfolding.next(), unfolding.next(), unfolding.next()]).toEqual([3, 2, null])
})

it('the end of a text is found at once, however many empty lines are before its last word', () => {
  expect(
    lastLines(`a${'\n'.repeat(900_000)}b\n\n`)
      .split('\n')
      .at(-1),
  ).toBe('b')
})
