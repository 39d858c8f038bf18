import type { QuestionId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { outcomeOf } from './outcome-of.ts'
import { questionOf } from './question-of.ts'

const id = 'qst_00000001' as QuestionId
const way = {
  question: 'Left or right?',
  header: 'Way',
  options: [
    { label: 'left', description: 'Go to the left' },
    { label: 'right', description: 'Go to the right' },
  ],
  multiSelect: false,
}
const colours = { question: 'Which colours?', options: ['red', 'blue'], multiSelect: true }

/** As Qwen Code sends it: a permission to submit answers that its own interface would ask for. */
const wrapped = (...questions: object[]) => ({
  method: 'session/request_permission',
  params: {
    sessionId: 's',
    options: [
      { optionId: 'proceed_once', name: 'Submit', kind: 'allow_once' },
      { optionId: 'cancel', name: 'Cancel', kind: 'reject_once' },
    ],
    toolCall: { toolCallId: 't', title: 'Ask user 1 question', kind: 'think', rawInput: { questions } },
  },
})

const submitted = (answers: Record<string, string>) => ({
  result: { outcome: { outcome: 'selected', optionId: 'proceed_once' }, answers },
})

describe('a question that an agent wraps into a permission', () => {
  it('shows the question and its choices instead of "Submit" and "Cancel"', () => {
    const { params, tool } = questionOf(wrapped(way), id)
    expect(params).toMatchObject({ kind: 'question', toolCallId: 't' })
    expect(params.question).toContain('Left or right?')
    expect(params.question).toContain('Go to the left')
    expect(params.options).toEqual([
      { optionId: 'left', name: 'left' },
      { optionId: 'right', name: 'right' },
    ])
    expect(tool, 'no policy for permissions decides it').toBeNull()
  })

  it('tells the agent which choice was made, by name or number, or in words of a person’s own', () => {
    expect(outcomeOf(wrapped(way), 'right')).toMatchObject(submitted({ '0': 'right' }))
    expect(outcomeOf(wrapped(way), '1')).toMatchObject(submitted({ '0': 'left' }))
    expect(outcomeOf(wrapped(way), 'straight on')).toMatchObject(submitted({ '0': 'straight on' }))
  })

  it('with several parts is a form, and each part has its own answer', () => {
    const { params } = questionOf(wrapped(way, colours), id)
    expect(params.question).toMatch(/Left or right\?[\s\S]*Which colours\?/)
    const answer = { question_1: 'left', question_2: ['red', 'blue'] }
    expect(outcomeOf(wrapped(way, colours), answer)).toMatchObject(
      submitted({ '0': 'left', '1': 'red, blue' }),
    )
  })

  it('that the user declines is rejected, not submitted empty', () => {
    for (const refused of [null, 'decline', { action: 'decline' }])
      expect(outcomeOf(wrapped(way), refused)).toMatchObject({
        result: { outcome: { outcome: 'selected', optionId: 'cancel' } },
      })
  })

  it('is read as a permission if its questions are malformed', () => {
    expect(questionOf(wrapped({ question: 5 }), id).params).toMatchObject({ kind: 'permission' })
  })
})
