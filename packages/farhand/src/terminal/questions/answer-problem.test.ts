import { describe, expect, it } from 'vitest'
import { answerProblem } from './answer-problem.ts'

const asked = (more: object) => ({ question: '?', ...more })
const option = (optionId: string, kind?: string) => ({ optionId, name: optionId, ...(kind && { kind }) })

describe('an answer that the runner would not take', () => {
  it('is known before it is given, with what can be answered', () => {
    const colors = asked({ kind: 'question', options: [option('red'), 'green'] })
    expect(answerProblem(colors, 'red')).toBeNull()
    expect(answerProblem(colors, 'green')).toBeNull()
    for (const answer of ['9', 'purple', 'yes'])
      expect(answerProblem(colors, answer)).toMatch(/1\. red, 2\. green/)
    const permission = asked({
      kind: 'permission',
      options: [option('a', 'allow_once'), option('r', 'reject_once')],
    })
    expect(answerProblem(permission, 'y')).toBeNull()
    expect(answerProblem(permission, '3')).toMatch(/1\. Allow once, 2\. Reject/)
  })

  it('is so for a form as well, and for a page to open', () => {
    const properties = { port: { type: 'integer', maximum: 10 }, name: { type: 'string' } }
    const form = asked({ form: { type: 'object', properties, required: ['port', 'name'] } })
    expect(answerProblem(form, { port: 3, name: 'x' })).toBeNull()
    expect(answerProblem(form, { port: 30, name: 'x' })).toMatch('port must be at most 10')
    expect(answerProblem(form, { port: 3 })).toMatch('name is missing')
    const page = asked({ url: 'https://example.com', options: [option('accept'), option('decline')] })
    expect(answerProblem(page, 'accept')).toBeNull()
    expect(answerProblem(page, 'later')).toMatch('1. ')
  })

  it('is not a yes or a no at a limit', () => {
    const limit = asked({ kind: 'question', options: [option('continue'), option('stop')] })
    for (const answer of ['y', 'no', 'continue', 'stop']) expect(answerProblem(limit, answer)).toBeNull()
    expect(answerProblem(limit, '3')).toMatch('1. continue, 2. stop')
  })

  it('is not seen where the question does not tell: that is for the runner to say', () => {
    expect(answerProblem(asked({}), 'anything')).toBeNull()
    const all = Array.from({ length: 100 }, (_, n) => option(`o${n}`))
    expect(answerProblem(asked({ options: all }), '101')).toBeNull()
    // Of a form that was too large for the log.
    expect(answerProblem(asked({ options: [option('a')] }), { field: 'a' })).toBeNull()
  })
})
