import { expect, it } from 'vitest'
import { runningLine } from './progress.mjs'

function screen(isTTY: boolean, columns = 80) {
  const written: string[] = []
  const stream = { isTTY, columns, write: (text: string) => written.push(text) > 0 }
  return { written, stream: stream as unknown as NodeJS.WriteStream }
}

it('says at once what is running, and what is left after each result', () => {
  const { written, stream } = screen(true)
  const line = runningLine(['types', 'dead code'], stream)
  expect(written.join('')).toMatch(/running: types, dead code$/)
  line.done('types', '✓ types\n')
  expect(written.at(-3)).toBe('✓ types\n')
  expect(written.at(-1)).toMatch(/running: dead code$/)
  line.done('dead code', '✓ dead code\n')
  expect(written.slice(-2)).toEqual(['\r\x1b[2K', '✓ dead code\n'])
})

it('never fills a line, which could not be taken back', () => {
  const { written, stream } = screen(true, 20)
  const line = runningLine(['a very long name of a check'], stream)
  expect(written.at(-1)).toHaveLength(19)
  line.done('a very long name of a check', '')
})

it('is one plain line where the output is no terminal', () => {
  const { written, stream } = screen(false)
  const line = runningLine(['types', 'dead code'], stream)
  line.done('types', '✓ types\n')
  line.done('dead code', '✓ dead code\n')
  expect(written).toEqual(['running: types, dead code\n', '✓ types\n', '✓ dead code\n'])
})
