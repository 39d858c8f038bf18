import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { emptyInput, type InputState } from './input-state.ts'
import { draftWith, emptyDraft } from './line-editor.ts'
import { span } from './lines/styled-line.ts'
import { textWidth } from './lines/text-width.ts'
import { liveFrame, type Scene } from './live-frame.ts'
import { panelFor } from './question-panel.ts'
import { openQuestion } from './questions/open-question-under-test.ts'
import { historyOf } from './typed-history.ts'

const input: InputState = { ...emptyInput(historyOf([])), isUnderWay: true }
const scene: Scene = { open: [], tools: [], status: null, trouble: null, input }
const cursor = '\x1b[7m'
const typing = (text: string): InputState => ({ ...input, draft: draftWith(emptyDraft, text) })

function shown(given: Partial<Scene>, columns = 40, rows = 20) {
  const frame = liveFrame({ ...scene, ...given }, { columns, rows, depth: 0, now: 65_000 })
  const row = frame.findIndex((line) => line.includes(cursor))
  const at = row === -1 ? null : [row, textWidth(frame[row]!.split(cursor)[0]!)]
  // Behind the end of a line the cursor is on a blank of its own.
  const lines = frame.map((line) => stripVTControlCharacters(line.replace(`${cursor} \x1b[0m`, '')))
  for (const line of lines) expect(textWidth(line)).toBeLessThan(columns)
  expect(lines.length).toBeLessThan(rows)
  return { lines, at }
}

describe('the bottom of the window', () => {
  it('says what goes on and since when, and has a line to type into', () => {
    const status = { text: 'working', since: 62_000 }
    expect(shown({ status })).toEqual({ lines: ['⠋ working · 3 s · Ctrl-C for a menu', '> '], at: [1, 2] })
    expect(shown({ status: { text: 'working', since: 0 } }, 20).lines[0]).toBe('⠋ work… · 1 min 5 s')
  })

  it('names the tools at work, three at most', () => {
    const tools = ['a', 'b', 'c', 'd'].map((name) => ({ text: `Run ${name}`, since: 65_000 }))
    expect(shown({ tools, status: { text: 'working', since: 0 } }).lines).toEqual([
      '⠋ Run b',
      '⠋ Run c',
      '⠋ Run d',
      '  and 1 more',
      '> ',
    ])
  })

  it('breaks what is typed, wide characters too, and knows where the cursor is', () => {
    expect(shown({ input: typing('abcdefghij') }, 10)).toEqual({ lines: ['> abcdefg', '  hij'], at: [1, 5] })
    expect(shown({ input: typing('語語語語') }, 10)).toEqual({ lines: ['> 語語語', '  語'], at: [1, 4] })
    expect(shown({ input: typing('one\ntwo') })).toEqual({ lines: ['> one', '  two'], at: [1, 5] })
    const draft = { ...emptyDraft, text: 'one\ntwo', at: 1 }
    expect(shown({ input: { ...input, draft } })).toEqual({ lines: ['> one', '  two'], at: [0, 3] })
  })

  it('shows of a long line what is around the cursor, and never fills the window', () => {
    const long = shown(
      { input: typing(Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n')) },
      40,
      10,
    )
    expect(long.lines.at(-1)).toBe('  line 49')
  })

  it('has the options of a question with their keys, and the keys explained once they count', () => {
    const options = ['red', `a very long ${'option '.repeat(9)}`]
    const panel = panelFor(openQuestion({ question: 'Which?', options, default: 'red' }))
    const status = { text: 'working', since: 0 }
    expect(shown({ status, input: { ...input, panel, isArmed: true } }).lines).toEqual([
      '› 1  red',
      '  2  a very long option option option …',
      'Press 1-2, t: type it, Enter: red',
    ])
    expect(shown({ input: { ...typing('half'), panel } }).lines.at(-1)).toBe('> half')
  })

  it('has the menu in one line where there is room', () => {
    const open = { ...input, isMenuOpen: true }
    expect(shown({ input: open }, 120)).toMatchObject({ lines: [expect.any(String)], at: null })
    expect(shown({ input: open }).lines).toEqual([
      '[d] detach: the agent goes on',
      '[c] cancel the turn',
      '[x] close the run',
      '[Esc] go on',
    ])
  })

  it('says before everything else what holds everything up', () => {
    const trouble = 'The hub does not answer; trying again until it does.'
    expect(shown({ trouble, open: [[span('words')]] }).lines).toEqual([
      'words',
      'The hub does not answer; trying again …',
      '> ',
    ])
  })
})
