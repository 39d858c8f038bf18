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

  it('the first word is a run where the folder has none', () => {
    expect(splitAnswer('9xYz', ['1'], { ...here, hasOwn: false })).toEqual({ named: '9xYz', words: ['1'] })
  })
})
