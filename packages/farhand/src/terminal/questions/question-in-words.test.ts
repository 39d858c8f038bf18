import { describe, expect, it } from 'vitest'
import {
  type Asked,
  answerInWords,
  answersInWords,
  answerTyped,
  questionInWords,
} from './question-in-words.ts'

const permission: Asked = {
  question: 'Run `ls`',
  kind: 'permission',
  options: [
    { optionId: 'allow-1', name: 'Allow', kind: 'allow_once' },
    { optionId: 'reject-1', name: 'Reject', kind: 'reject_once' },
  ],
}

describe('a question', () => {
  it('is shown with its options numbered, and cannot move the cursor', () => {
    expect(questionInWords({ ...permission, question: 'Run\u001b[2J `ls`\nin /tmp' })).toEqual([
      '? Run[2J `ls`',
      '  in /tmp',
      '  1  Allow',
      '  2  Reject',
    ])
  })

  it('tells what page to open unless its text does, and that it is about a plan', () => {
    const url = 'https://a.example/in'
    expect(questionInWords({ question: 'Sign in.', url, isPlan: true })).toEqual([
      '? Sign in.',
      '  Open: https://a.example/in',
      '  This is a plan: the agent begins once you agree.',
    ])
    expect(questionInWords({ question: `Sign in: ${url}`, url })).toEqual([`? Sign in: ${url}`])
  })

  it('with a form shows how that is filled in', () => {
    const form = { properties: { name: { type: 'string' }, sure: { type: 'boolean' } } }
    const asked = { question: 'Who?', form }
    expect(questionInWords(asked)).toEqual(['? Who?', '  Answer like {"name":"...","sure":true}'])
    expect(answersInWords(asked)).toBe('Type an answer like {"name":"...","sure":true}, then Enter.')
    expect(answersInWords({ question: 'Who?' })).toBe('Type an answer, then Enter.')
  })

  it.each([
    ['1', 'allow-1'],
    [' reject ', 'reject-1'],
    ['allow-1', 'allow-1'],
    ['y', 'y'],
    ['No', 'No'],
  ])('is answered by a number, a name, an id, y or n: %j', (typed, answer) => {
    expect(answerTyped(permission, typed)).toEqual({ answer })
  })

  it.each(['3', '0', 'perhaps', '', 'allow everything'])(
    'about a permission is not answered by %j',
    (typed) => {
      expect(answerTyped(permission, typed)).toBeNull()
    },
  )

  it('without options takes any text, and a form as JSON', () => {
    const open: Asked = { question: 'Why?' }
    expect(answerTyped(open, '2')).toEqual({ answer: '2' })
    expect(answerTyped(open, '{"a": 1}')).toEqual({ answer: { a: 1 } })
    expect(answerTyped(open, '{not json')).toEqual({ answer: '{not json' })
    expect(answerTyped(open, '  ')).toBeNull()
  })

  it('with a default shows it, and takes it if the user types nothing', () => {
    const asked = { ...permission, default: 'reject-1' }
    expect(questionInWords(asked).at(-1)).toBe('  Default: Reject')
    expect(questionInWords(asked, true).at(-1)).toBe('  Default: Reject (Enter takes it)')
    expect(answerTyped(asked, ' ')).toEqual({ answer: 'reject-1' })
    expect(answerTyped({ question: 'Sure?', default: false }, '')).toEqual({ answer: false })
    expect(answerTyped({ question: 'Sure?', default: null }, '')).toBeNull()
    expect(questionInWords({ question: 'Sure?', default: null })).toEqual(['? Sure?'])
  })

  it('has an answer that is shown by its name, or as what it is', () => {
    expect(answerInWords(permission, 'allow-1')).toBe('Allow')
    expect(answerInWords(permission, 'y')).toBe('Allow')
    expect(answerInWords(permission, 'No')).toBe('Reject')
    expect(answerInWords({ ...permission, kind: 'question' }, 'y\u001b')).toBe('y\ufffd')
    const twice = [...permission.options!, { optionId: 'a', name: 'Allow it', kind: 'allow_once' }]
    expect(answerInWords({ ...permission, options: twice }, 'y')).toBe('y')
    expect(answerInWords({ question: 'Who?' }, { name: 'Ann' })).toBe('name: Ann')
    expect(answerInWords({ question: 'Which?', options: ['red', 'green'] }, { answer: 'green' })).toBe(
      'green',
    )
  })

  it('with plain texts as options is answered with the text', () => {
    expect(answerTyped({ question: 'Which?', options: ['red', 'green'] }, '2')).toEqual({ answer: 'green' })
  })
})
