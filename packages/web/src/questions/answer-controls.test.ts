import { describe, expect, it } from 'vitest'
import { type Asked, answerInWords, wayToAnswer } from './answer-controls.ts'

const asked = (more: Partial<Asked>): Asked => ({
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

describe('the way to answer', () => {
  it('a permission is by its options and by nothing else', () => {
    const way = wayToAnswer(asked({ kind: 'permission', options: yesNo, default: 'n' }))
    expect(way.choices.map(({ answer, tone, isDefault }) => [answer, tone, isDefault])).toEqual([
      ['y', 'allow', false],
      ['n', 'reject', true],
    ])
    expect(way).toMatchObject({ ownWords: null, fields: [], canDecline: false })
  })

  it('a question without options and form is in words', () => {
    expect(wayToAnswer(asked({}))).toMatchObject({ choices: [], ownWords: 'Answer', canDecline: true })
  })

  it('a question whose options are mere words takes other words too, a choice of ids does not', () => {
    expect(wayToAnswer(asked({ options: ['tea', 'coffee'] })).ownWords).toBe('Something else')
    expect(wayToAnswer(asked({ options: colours })).ownWords).toBeNull()
  })

  it('a form of one choice is by buttons, with what was said of each', () => {
    const form = { properties: { colour }, required: ['colour'] }
    const way = wayToAnswer(asked({ form, options: colours, default: { colour: 'r' } }))
    expect(way.choices).toEqual([
      { answer: 'r', name: 'Red', note: 'like fire', tone: 'plain', isDefault: true },
      { answer: 'b', name: 'b', note: null, tone: 'plain', isDefault: false },
    ])
    expect(way).toMatchObject({ fields: [], ownWords: null, canDecline: true })
  })

  it('a field for words beside a choice makes room for one’s own', () => {
    const form = { properties: { colour, other: { type: 'string', title: 'Other' } } }
    expect(wayToAnswer(asked({ form, options: colours }))).toMatchObject({ ownWords: 'Other', fields: [] })
  })

  it('a form that needs more than a choice is filled in whole, and its options are not shown twice', () => {
    const form = { properties: { colour, size: { type: 'number' } }, required: ['colour', 'size'] }
    const way = wayToAnswer(asked({ form, options: colours }))
    expect(way.choices).toEqual([])
    expect(way.fields.map(({ name }) => name)).toEqual(['colour', 'size'])
  })

  it('a form that asks for nothing is agreed to or not', () => {
    const options = [
      { optionId: 'accept', name: 'Accept' },
      { optionId: 'decline', name: 'Decline' },
    ]
    const way = wayToAnswer(asked({ form: { properties: {} }, options }))
    expect(way.choices.map(({ answer }) => answer)).toEqual(['accept', 'decline'])
    expect(way).toMatchObject({ fields: [], ownWords: null, canDecline: false })
  })
})

describe('an answer in words', () => {
  it('is the name of the option, however it was said', () => {
    const question = asked({ options: yesNo })
    expect([answerInWords(question, 'y'), answerInWords(question, { which: 'n' })]).toEqual([
      'Allow once',
      'Reject',
    ])
  })

  it('is what was filled in, and nobody’s silence is taken for something', () => {
    expect(answerInWords(asked({}), { name: 'a', count: 2 })).toBe('name: a, count: 2')
    expect(answerInWords(asked({}), null)).toBe('no answer')
  })
})

it('what a button says is what it stands for, and its answer is as the agent wrote it', () => {
  const options = [{ optionId: 'a\u202e', name: 'Reject\u202eesle gnihtyna', kind: 'allow_once' }]
  const { choices } = wayToAnswer({ kind: 'permission', options, default: null, form: null, url: null })
  expect(choices).toMatchObject([{ answer: 'a\u202e', name: 'Reject�esle gnihtyna' }])
})
