import { describe, expect, it } from 'vitest'
import { type AnswerableQuestion, answerControls, answerInWords } from './answer-controls.ts'

const asked = (more: Partial<AnswerableQuestion>): AnswerableQuestion => ({
  kind: 'question',
  options: null,
  default: null,
  form: null,
  url: null,
  ...more,
})
const yesNo = [
  { optionId: 'y', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'n', name: 'Reject', kind: 'reject_once' },
]
const colour = {
  type: 'string',
  oneOf: [{ const: 'r', title: 'Red', description: 'like fire' }, { const: 'b' }],
}
const colours = [
  { optionId: 'r', name: 'Red' },
  { optionId: 'b', name: 'b' },
]

describe('the controls for an answer', () => {
  it('a permission has its options and nothing else', () => {
    const controls = answerControls(asked({ kind: 'permission', options: yesNo, default: 'n' }))
    expect(controls.choices.map(({ answer, tone, isDefault }) => [answer, tone, isDefault])).toEqual([
      ['y', 'allow', false],
      ['n', 'reject', true],
    ])
    expect(controls).toMatchObject({ freeText: null, fields: [], canDecline: false })
  })

  it('a question without options and form has a field for words', () => {
    expect(answerControls(asked({}))).toMatchObject({ choices: [], freeText: 'Answer', canDecline: true })
  })

  it('a question whose options are only words takes other words too, a choice of ids does not', () => {
    expect(answerControls(asked({ options: ['tea', 'coffee'] })).freeText).toBe('Something else')
    expect(answerControls(asked({ options: colours })).freeText).toBeNull()
  })

  it('a form of one choice has buttons, with the description of each', () => {
    const form = { properties: { colour }, required: ['colour'] }
    const controls = answerControls(asked({ form, options: colours, default: { colour: 'r' } }))
    expect(controls.choices).toEqual([
      { answer: 'r', name: 'Red', note: 'like fire', tone: 'plain', isDefault: true },
      { answer: 'b', name: 'b', note: null, tone: 'plain', isDefault: false },
    ])
    expect(controls).toMatchObject({ fields: [], freeText: null, canDecline: true })
  })

  it('a field for words beside a choice makes room for one’s own', () => {
    const form = { properties: { colour, other: { type: 'string', title: 'Other' } } }
    expect(answerControls(asked({ form, options: colours }))).toMatchObject({ freeText: 'Other', fields: [] })
  })

  it('a form that needs more than a choice is filled in whole, and its options are not shown twice', () => {
    const form = { properties: { colour, size: { type: 'number' } }, required: ['colour', 'size'] }
    const controls = answerControls(asked({ form, options: colours }))
    expect(controls.choices).toEqual([])
    expect(controls.fields.map(({ name }) => name)).toEqual(['colour', 'size'])
  })

  it('a form without fields is accepted or declined', () => {
    const options = [
      { optionId: 'accept', name: 'Accept' },
      { optionId: 'decline', name: 'Decline' },
    ]
    const controls = answerControls(asked({ form: { properties: {} }, options }))
    expect(controls.choices.map(({ answer }) => answer)).toEqual(['accept', 'decline'])
    expect(controls).toMatchObject({ fields: [], freeText: null, canDecline: false })
  })
})

describe('an answer in words', () => {
  it('is the name of the option, no matter how it was given', () => {
    const question = asked({ options: yesNo })
    expect([answerInWords(question, 'y'), answerInWords(question, { which: 'n' })]).toEqual([
      'Allow once',
      'Reject',
    ])
  })

  it('has the filled-in fields, and an empty field is not an answer', () => {
    expect(answerInWords(asked({}), { name: 'a', count: 2 })).toBe('name: a, count: 2')
    expect(answerInWords(asked({}), null)).toBe('no answer')
  })
})

it('a button shows the text of its option, and its answer is as the agent wrote it', () => {
  const options = [{ optionId: 'a\u202e', name: 'Reject\u202eesle gnihtyna', kind: 'allow_once' }]
  const { choices } = answerControls({ kind: 'permission', options, default: null, form: null, url: null })
  expect(choices).toMatchObject([{ answer: 'a\u202e', name: 'Reject�esle gnihtyna' }])
})
