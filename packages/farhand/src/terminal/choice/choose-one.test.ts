import { expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import type { KeyedTerminal, TerminalHandlers } from '../keys/keyed-terminal.ts'
import { chooseOne } from './choose-one.ts'

const list = { question: 'Which?', entries: [{ says: 'one' }, { says: 'two' }, { says: 'three' }] }

/** A terminal at which the user presses these keys as soon as they are told to. */
function pressing(...keys: string[]) {
  let text = ''
  let isOpen = false
  let press = () => {}
  const terminal: KeyedTerminal = {
    size: { columns: 80, rows: 24 },
    write: (more) => {
      text += more
      if (more.startsWith('Press')) press()
    },
    open: (handlers: TerminalHandlers) => {
      isOpen = true
      // Before the user can have read the list.
      handlers.keys(new TextEncoder().encode('2'))
      press = () => {
        for (const key of keys) handlers.keys(new TextEncoder().encode(key))
      }
      return () => {
        isOpen = false
      }
    },
    suspend: () => {},
  }
  const context = testContext({ keyed: async () => terminal })
  return { context, shown: () => context.ran().notes + text, isOpen: () => isOpen }
}

it('is one key away, and the terminal is given back', async () => {
  const one = pressing('3')
  expect(await chooseOne({ ...list, usual: 0 }, one.context)).toBe(2)
  expect(one.isOpen()).toBe(false)
  expect(one.shown()).toBe(
    'Which?\n› 1  one\n  2  two\n  3  three\nPress 1-3, Enter for 1; Esc leaves.\r\x1b[K',
  )
})

it('takes the default with Enter, and nothing if the user leaves', async () => {
  expect(await chooseOne({ ...list, usual: 1 }, pressing('x', '\r').context)).toBe(1)
  expect(await chooseOne({ ...list, usual: 1 }, pressing('\x1b').context)).toBe('left')
})

it('tells Ctrl-C from leaving, with keys and without', async () => {
  expect(await chooseOne({ ...list, usual: 1 }, pressing('\x03').context)).toBe('interrupted')
  const stop = new AbortController()
  const ask = async () => {
    stop.abort()
    throw stop.signal.reason
  }
  expect(await chooseOne({ ...list, usual: 1 }, testContext({ ask, stop: stop.signal }))).toBe('interrupted')
  const gone = { ...pressing('\r').context, stop: AbortSignal.abort() }
  expect(await chooseOne({ ...list, usual: 1 }, gone)).toBe('interrupted')
})

it('is asked for by number and Enter where there are more entries than keys, or no keys', async () => {
  const typing = (...lines: string[]) => ({ ask: async () => lines.shift() ?? 'q' })
  const long = {
    ...list,
    entries: Array.from({ length: 12 }, (_, at) => ({ says: `n${at}`, name: `n${at}` })),
  }
  const never = async () => expect.unreachable()
  const many = testContext({ ...typing('77', '12'), keyed: never })
  expect(await chooseOne({ ...long, usual: 0 }, many)).toBe(11)
  expect(await chooseOne({ ...long, usual: 0 }, testContext(typing('n4')))).toBe(4)
  expect(await chooseOne({ ...list, usual: 0 }, testContext(typing('')))).toBe(0)
  expect(await chooseOne({ ...list, usual: null }, testContext(typing('')))).toBe('left')
  expect(await chooseOne({ ...list, usual: 0 }, testContext(typing('q')))).toBe('left')
})
