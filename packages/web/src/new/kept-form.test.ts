import { describe, expect, it } from 'vitest'
import { afterBegun, attemptFor, readKept } from './kept-form.ts'
import { emptyForm, type NewRunForm, type NewRunPlan } from './new-run-form.ts'

const form: NewRunForm = { ...emptyForm, agent: 'opencode', policy: 'allow-edits', prompt: 'Mend it' }
const plan: NewRunPlan = { project: { name: 'a' }, title: 'Mend it', run: { agent: 'opencode' }, says: [] }

describe('the form that is kept', () => {
  it('comes back as it was left, with what was typed', () => {
    expect(readKept(JSON.stringify({ form, attempt: null })).form).toEqual(form)
  })

  it('is an empty one in the places that cannot be read', () => {
    const odd = {
      form: { ...form, policy: 'rule-the-world', mode: 7, startsFrom: 'fork', fork: { run: 'x' } },
    }
    const read = readKept(JSON.stringify(odd)).form
    expect(read).toMatchObject({ agent: 'opencode', policy: 'ask', mode: 'interactive', startsFrom: 'empty' })
    expect(read.fork).toBeNull()
    for (const text of [null, '', 'null', '{"form"', '[]']) expect(readKept(text).form).toEqual(emptyForm)
  })

  it('keeps the choices of a run that was begun, and not its prompt', () => {
    const kept = afterBegun(form, 'prj_1')
    expect(kept.form).toMatchObject({
      agent: 'opencode',
      policy: 'allow-edits',
      project: 'prj_1',
      prompt: '',
    })
  })

  it('asks again under the same key only for the very same run', () => {
    let made = 0
    const newKey = () => `key${++made}`
    const first = attemptFor(plan, null, newKey)
    const kept = readKept(JSON.stringify({ form, attempt: first })).attempt
    expect(attemptFor(plan, kept, newKey).key).toBe('key1')
    expect(attemptFor({ ...plan, title: 'Other' }, kept, newKey).key).toBe('key2')
  })
})
