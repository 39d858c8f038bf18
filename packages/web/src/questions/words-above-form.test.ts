import { describe, expect, it } from 'vitest'
import { wordsAboveForm } from './words-above-form.ts'

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
