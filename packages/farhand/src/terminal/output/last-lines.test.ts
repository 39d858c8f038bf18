import { expect, it } from 'vitest'
import { lastLines } from './last-lines.ts'

it('the end of a text is found at once, however many empty lines are before its last word', () => {
  expect(
    lastLines(`a${'\n'.repeat(900_000)}b\n\n`)
      .split('\n')
      .at(-1),
  ).toBe('b')
})
