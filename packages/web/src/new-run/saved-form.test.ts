import { describe, expect, it } from 'vitest'
import { emptyForm, type NewRunForm } from './new-run-form.ts'
import { formAfterStart, readSavedForm } from './saved-form.ts'

const form: NewRunForm = { ...emptyForm, agent: 'opencode', policy: 'allow-edits', prompt: 'Mend it' }

describe('the form that is kept', () => {
  it('comes back as it was left, with what was typed', () => {
    expect(readSavedForm(JSON.stringify({ form, attempt: null })).form).toEqual(form)
  })

  it('is empty in the fields that cannot be read', () => {
    const odd = {
      form: { ...form, policy: 'rule-the-world', mode: 7, startsFrom: 'fork', fork: { run: 'x' } },
    }
    const read = readSavedForm(JSON.stringify(odd)).form
    expect(read).toMatchObject({ agent: 'opencode', policy: 'ask', mode: 'interactive', startsFrom: 'empty' })
    expect(read.fork).toBeNull()
    for (const text of [null, '', 'null', '{"form"', '[]'])
      expect(readSavedForm(text).form).toEqual(emptyForm)
  })

  it('keeps the choices of a run that was begun, and not its prompt', () => {
    const kept = formAfterStart(form, 'prj_1')
    expect(kept.form).toMatchObject({
      agent: 'opencode',
      policy: 'allow-edits',
      project: 'prj_1',
      prompt: '',
    })
  })

  it('keeps the key of a start until a run was begun, also that of an older page', () => {
    const attempt = { key: 'key1', plan: '{}' }
    expect(readSavedForm(JSON.stringify({ form, attempt })).attempt).toEqual({ key: 'key1' })
    expect(formAfterStart(form, 'prj_1').attempt).toBeNull()
  })
})
