import type { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { describe, expect, it } from 'vitest'
import { inputMeaning } from './input-needed.ts'

const question = (questionId: string, more: Partial<OpenQuestion> = {}) =>
  ({
    questionId,
    question: 'Which?',
    kind: 'question',
    options: null,
    timeout: null,
    default: null,
    toolCallId: null,
    replaces: null,
    form: null,
    url: null,
    isPlan: false,
    eventId: 1,
    askedAt: '2026-01-01T00:00:00.000Z',
    generation: 1,
    given: null,
    ...more,
  }) as OpenQuestion
const permission = question('p', {
  kind: 'permission',
  options: [
    { optionId: 'yes-1', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no-1', name: 'Reject', kind: 'reject_once' },
  ],
})

describe('an input to a task', () => {
  it('W82 is a message to the agent when no question is open', () => {
    expect(inputMeaning([], 'also the tests', null)).toEqual({ is: 'message', text: 'also the tests' })
    expect(inputMeaning([], '  ', null)).toMatchObject({ is: 'refused', field: 'input' })
    expect(inputMeaning([], { a: 1 }, null)).toMatchObject({ is: 'refused', field: 'input' })
  })

  it('W82 answers the open question with an option by its name or id, in upper or lower case', () => {
    for (const said of ['Allow', 'allow ', 'yes-1'])
      expect(inputMeaning([permission], said, null)).toMatchObject({ is: 'answer', answer: 'yes-1' })
    expect(inputMeaning([permission], 'no', null)).toMatchObject({ is: 'answer', answer: 'no' })
    expect(inputMeaning([question('q')], 'blue', null)).toMatchObject({ is: 'answer', answer: 'blue' })
  })

  it('W82 is refused where it fits no option, so that it is never taken for consent', () => {
    expect(inputMeaning([permission], 'fine by me', null)).toMatchObject({ is: 'refused', field: 'input' })
    expect(inputMeaning([permission], { yes: true }, null)).toMatchObject({ is: 'refused' })
  })

  it('W82 has to name one of several open questions, and one that is open', () => {
    const both = [question('q1'), question('q2')]
    expect(inputMeaning(both, 'blue', null)).toMatchObject({ is: 'refused', field: 'question_id' })
    expect(inputMeaning(both, 'blue', 'q2')).toMatchObject({ is: 'answer', question: { questionId: 'q2' } })
    expect(inputMeaning(both, 'blue', 'q3')).toMatchObject({ is: 'refused', field: 'question_id' })
  })
})
