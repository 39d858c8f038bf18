import { describe, expect, it } from 'vitest'
import { splitAnswer, splitMessage } from './run-or-message.ts'

const here = { names: ['run_4fJ2aBcDeFgH'], hasOwn: true }

describe('without a run', () => {
  it('a message is for the run of the folder', () => {
    expect(splitMessage('and add tests', undefined)).toEqual({ named: undefined, said: 'and add tests' })
    expect(splitMessage('4fJ2', 'and add tests')).toEqual({ named: '4fJ2', said: 'and add tests' })
    expect(splitMessage('run_4fJ2', undefined)).toEqual({ named: 'run_4fJ2', said: undefined })
  })

  it('an answer is for the run of the folder, unless its first word names another one', () => {
    expect(splitAnswer('1', [], here)).toEqual({ named: undefined, words: ['1'] })
    expect(splitAnswer('in', ['Esperanto'], here)).toEqual({ named: undefined, words: ['in', 'Esperanto'] })
    expect(splitAnswer('run_9x', ['1'], here)).toEqual({ named: 'run_9x', words: ['1'] })
    expect(splitAnswer('4fJ2', ['1'], here)).toEqual({ named: '4fJ2', words: ['1'] })
    expect(splitAnswer(undefined, [], here)).toEqual({ named: undefined, words: [] })
  })

  it('before an answer, a first word that may be a run is one where the folder has none', () => {
    const elsewhere = { ...here, hasOwn: false }
    expect(splitAnswer('9xYz', ['1'], elsewhere)).toEqual({ named: '9xYz', words: ['1'] })
    expect(splitAnswer('4fJ2', [], elsewhere)).toEqual({ named: '4fJ2', words: [] })
  })

  it('a lone answer is for the only open run, or the one that the user chooses, where the folder has none', () => {
    const elsewhere = { ...here, hasOwn: false }
    expect(splitAnswer('1', [], elsewhere)).toEqual({ named: undefined, words: ['1'] })
    expect(splitAnswer('red', ['and', 'green'], elsewhere)).toEqual({
      named: undefined,
      words: ['red', 'and', 'green'],
    })
  })
})
