import { OpenQuestion } from '@farhand/protocol/runs/open-question'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { noCuts } from '../story/cut-text.ts'
import type { QuestionItem } from '../story/story.ts'
import { QuestionCard, wordsAboveForm } from './question-card.tsx'

const at = '2030-01-01T00:00:00.000Z'

function shown(question: string, isPlan: boolean): string {
  const asked = OpenQuestion.parse({
    ...{ questionId: 'qst_12345678', question, kind: 'permission', options: ['yes', 'no'], isPlan },
    ...{ timeout: null, default: null, toolCallId: null, replaces: null, form: null, url: null },
    ...{ eventId: 1, askedAt: at, generation: 1, given: null },
  })
  const item: QuestionItem = {
    ...{ kind: 'question', id: 1, at, text: question, cuts: noCuts, asked, state: 'open' },
    ...{ answer: null, answeredBy: null, why: null },
  }
  return renderToStaticMarkup(
    createElement(QuestionCard, {
      ...{ question: item, openSections: new Map(), hasKeys: false, unsent: null },
      fetchBlob: () => Promise.reject(new Error('Not here.')),
      onAnswer() {},
      onResend() {},
    } as never),
  )
}

it('a permission is asked letter by letter: nothing of a command is taken for markdown, and hidden', () => {
  const command = 'Command: ls \\*.txt\n~~~; rm -rf src\n**make**'
  expect(shown(`Tidy up\n${command}`, false)).toContain(command)
})

it('a plan is shown as the markdown that it is', () => {
  expect(shown('Do **this**', true)).toContain('<strong>this</strong>')
})

const form = {
  type: 'object',
  properties: {
    place: { type: 'string', title: 'Where to?' },
    many: { type: 'integer', title: 'How many?' },
  },
}
const asked = { kind: 'question' as const, options: [], default: null, url: null }

describe('the text above a form', () => {
  it('ends where the agent lists the fields, which are shown below', () => {
    const question = 'Shall it go?\n- today\n- Where to? (place), optional:\n- How many? (many), optional:'
    expect(wordsAboveForm({ ...asked, form, question })).toBe('Shall it go?\n- today')
  })

  it('is complete if no form is shown, or none of its fields is listed', () => {
    const question = 'Shall it go?\n- place'
    expect(wordsAboveForm({ ...asked, form: null, question })).toBe(question)
    expect(wordsAboveForm({ ...asked, form, question: 'Shall it go?' })).toBe('Shall it go?')
  })
})
