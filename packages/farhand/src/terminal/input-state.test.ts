import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { describe, expect, it } from 'vitest'
import { armQuestion, asking, emptyInput, type InputState, inputStep } from './input-state.ts'
import { type Key, KeyReader } from './keys/key-reader.ts'
import { panelFor } from './question-panel.ts'
import { openQuestion } from './questions/open-question-under-test.ts'
import type { Typed } from './run-screen/run-screen.ts'
import { historyOf } from './typed-history.ts'

const idle = emptyInput(historyOf([]))
const atWork = { ...idle, isUnderWay: true }
const later = 10_000

/** What becomes of it with these keys, all at one time, and the lines that came of them. */
function pressed(before: InputState, keys: string, now = later): { input: InputState; typed: Typed[] } {
  let input = before
  const typed: Typed[] = []
  const reader = new KeyReader()
  const all: Key[] = [...reader.take(new TextEncoder().encode(keys)), ...reader.waited()]
  for (const key of all) {
    const step = inputStep(input, key, now)
    input = step.input
    if (step.typed) typed.push(step.typed)
  }
  return { input, typed }
}

const lines = (before: InputState, keys: string) => pressed(before, keys).typed.map(({ line }) => line)

const options = ['red', 'green', 'blue']
const question = openQuestion({ question: 'Which colour?', options, default: 'green' })
const permission = openQuestion({
  question: 'Which colour?',
  kind: 'permission',
  options: [
    { optionId: 'a', name: 'Allow' },
    { optionId: 'r', name: 'Reject' },
  ],
})
const open = openQuestion({ question: 'Which colour?' })

const asked = (one: OpenQuestion, input = idle) => armQuestion(asking(input, panelFor(one), 0), later)

describe('a user at the keyboard', () => {
  it('sends a line with Enter, and nothing with an empty one', () => {
    expect(pressed(idle, 'say hello\r\r \r').typed).toEqual([{ line: 'say hello', question: null }])
    expect(lines(idle, 'one\ntwo\r')).toEqual(['one\ntwo'])
  })

  it('finds what they typed before, and comes back to what they were typing', () => {
    const { input } = pressed(idle, 'one\rtwo\rtwo\r thr\rha')
    expect(input.history.entries).toEqual(['one', 'two'])
    const up = '\x1b[A'
    const down = '\x1b[B'
    expect(pressed(input, up).input.draft.text).toBe('two')
    expect(pressed(input, up + up + up).input.draft.text).toBe('one')
    expect(pressed(input, up + up + down + down).input.draft.text).toBe('ha')
    expect(lines(input, `${up}!\r`)).toEqual(['two!'])
  })

  it('clears a line with Ctrl-C first, and gets a menu with the next one', () => {
    const { input } = pressed(idle, 'half\x03')
    expect([input.draft.text, input.isMenuOpen]).toEqual(['', false])
    expect(pressed(input, '\x03').input.isMenuOpen).toBe(true)
  })

  it('keeps what was pasted when Ctrl-C has to end the paste, and gets the menu at once', () => {
    const pasted = inputStep(idle, { is: 'paste', text: 'half a page' }, later)
    const { input } = inputStep(pasted.input, { is: 'menu' }, later)
    expect([input.draft.text, input.isMenuOpen]).toEqual(['half a page', true])
    expect(lines(input, '\x1b')).toEqual([])
    expect(inputStep(input, { is: 'menu' }, later).typed?.line).toBe('/detach')
  })

  it('gets the menu at once while the agent is at work, and the line stays', () => {
    const { input } = pressed(atWork, 'half\x03')
    expect([input.draft.text, input.isMenuOpen]).toEqual(['half', true])
    expect(lines(input, 'd')).toEqual(['/detach'])
    expect(lines(input, 'C')).toEqual(['/cancel'])
    expect(lines(input, 'x')).toEqual(['/close'])
    expect(lines(input, '\x03')).toEqual(['/detach'])
    for (const other of ['\x1b', 'q', '\r', '\x1b[A']) {
      const gone = pressed(input, other)
      expect([gone.typed, gone.input.isMenuOpen, gone.input.draft.text]).toEqual([[], false, 'half'])
    }
  })

  it('is offered no turn to cancel where there is none', () => {
    expect(lines(idle, '\x03c')).toEqual([])
  })

  it('leaves with Ctrl-D on an empty line only', () => {
    expect(lines(atWork, '\x04')).toEqual(['/detach'])
    const { input, typed } = pressed(idle, 'ab\x01\x04')
    expect([input.draft.text, typed]).toEqual(['b', []])
  })

  it('answers with one key: a number, y or n, or Enter for the default', () => {
    expect(pressed(asked(question), '3').typed).toEqual([{ line: '3', question }])
    expect(lines(asked(question), '\r')).toEqual(['2'])
    expect(lines(asked(question), '\x1b[B\r')).toEqual(['3'])
    expect(lines(asked(question), '\x1b[A\x1b[A\r')).toEqual(['3'])
    expect(lines(asked(permission), 'y')).toEqual(['y'])
    expect(lines(asked(permission), '2')).toEqual(['2'])
  })

  it('allows nothing with Enter where nothing is chosen, nor with a key that means nothing', () => {
    expect(lines(asked(permission), '\r9tk \x1b')).toEqual([])
    expect(lines(asked(permission), '\x1b[B\r')).toEqual(['1'])
  })

  it('types an answer where that is asked for, or where no option will do', () => {
    expect(pressed(asked(open), 'Ann\r').typed).toEqual([{ line: 'Ann', question: open }])
    expect(lines(asked(open), '\r')).toEqual([])
    expect(lines(asked(question), 'tmauve\r')).toEqual(['mauve'])
    expect(lines(asked(question), 't1\x1b')).toEqual([])
  })

  it('has the line they were typing back after a question', () => {
    const { input, typed } = pressed(asked(question, pressed(idle, 'half a', 0).input), '1')
    expect(typed).toEqual([{ line: '1', question }])
    expect([input.panel, input.draft.text]).toEqual([null, 'half a'])
    expect(lines(input, ' line\r')).toEqual(['half a line'])
  })

  it('does not answer by accident: keys count once there was time to read, and a pause in what was being typed', () => {
    const fresh = asking(idle, panelFor(question), 1_000)
    expect(pressed(fresh, '1', 1_100).input.draft.text).toBe('1')
    expect(pressed(fresh, '1', 1_300).typed).toHaveLength(1)
    const typing = asking(pressed(idle, 'n', 1_000).input, panelFor(question), 1_100)
    expect(pressed(typing, '2', 1_500).input.draft.text).toBe('n2')
    expect(pressed(typing, '2', 1_900).typed).toEqual([{ line: '2', question }])
    // Enter ends what they were typing, and that is no answer.
    expect(pressed(typing, '\r', 1_500).typed).toEqual([{ line: 'n', question: null }])
  })

  it('must read a question anew that took the place of another', () => {
    const next = { ...question, questionId: 'qst_87654321' } as OpenQuestion
    const replaced = asking(asked(question), panelFor(next), later)
    expect(replaced.isArmed).toBe(false)
    expect(asking(replaced, panelFor(next), later + 500)).toBe(replaced)
  })
})
