import { expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import type { KeyedTerminal, TerminalHandlers } from '../keys/keyed-terminal.ts'
import { askKey, askYesNo } from './ask-key.ts'

const asked = {
  question: 'Enter leaves it out, a sends it, q stops: ',
  answers: { s: 'leave', a: 'all', q: 'quit' },
  usual: 'leave',
} as const

/** A terminal at which the user presses this as soon as they are asked. */
function pressing(keys: string) {
  const terminal: KeyedTerminal = {
    size: { columns: 80, rows: 24 },
    write: (text) => text.startsWith('Enter') && press(),
    open: (handlers: TerminalHandlers) => {
      // Typed before the user could have read the question.
      handlers.keys(new TextEncoder().encode('a'))
      press = () => handlers.keys(new TextEncoder().encode(keys))
      return () => {}
    },
    suspend: () => {},
  }
  let press = () => {}
  return testContext({ keyed: async () => terminal })
}

it('a question takes one key, and what was typed before it is no answer', async () => {
  const context = pressing('A')
  expect(await askKey(asked, context)).toBe('all')
  expect(context.ran().notes).toBe('Enter leaves it out, a sends it, q stops: a\n')
})

it.each([
  ['x\r', 'leave'],
  ['q', 'quit'],
  ['\x03', null],
  ['\x1b', null],
])('%j means %j', async (keys, answer) => {
  expect(await askKey(asked, pressing(keys))).toBe(answer)
})

it('where keys cannot be read it takes a line, and asks again for one that means nothing', async () => {
  const lines = ['what?', 'q']
  const context = testContext({ ask: async () => lines.shift()! })
  expect(await askKey(asked, context)).toBe('quit')
  expect(await askKey(asked, testContext({ ask: async () => '' }))).toBe('leave')
  expect(await askKey(asked, testContext())).toBeNull()
})

it('Enter is no, and yes is never meant by accident', async () => {
  const answer = (line: string) => askYesNo('Go on? [y/N] ', testContext({ ask: async () => line }))
  expect([await answer(''), await answer('n'), await answer('YES'), await answer('y')]).toEqual([
    false,
    false,
    true,
    true,
  ])
  expect(await askYesNo('Go on? [y/N] ', testContext())).toBeNull()
})
