import { parsedObject } from '../text/parsed-object.ts'
import { emptyForm, type NewRunForm } from './new-run-form.ts'
import { policies } from './permission-policies.ts'

/** A start that may have reached the hub: until it succeeds, all requests use this key. */
export type Attempt = { key: string }
export type SavedForm = { form: NewRunForm; attempt: Attempt | null }

const choices = {
  startsFrom: ['empty', 'clone', 'fork'],
  network: ['full', 'none', 'hosts'],
  mode: ['interactive', 'background'],
  policy: policies,
} as const

/** The form as last left, from storage. Unreadable fields get their default. */
export function readSavedForm(text: string | null): SavedForm {
  const { form: said, attempt } = parsedObject(text) as { form?: Record<string, unknown>; attempt?: Attempt }
  const form: Record<string, unknown> = { ...emptyForm }
  for (const [name, usual] of Object.entries(emptyForm)) {
    const value = said?.[name]
    const among: readonly unknown[] | undefined = choices[name as keyof typeof choices]
    if (typeof usual === 'string' && typeof value === 'string' && (among?.includes(value) ?? true))
      form[name] = value
  }
  // A fork is rarely repeated.
  if (form.startsFrom === 'fork') form.startsFrom = 'empty'
  const isAttempt = typeof attempt?.key === 'string'
  return { form: form as NewRunForm, attempt: isAttempt ? { key: attempt.key } : null }
}

/** What to save after a start: all choices, without the prompt. */
export const formAfterStart = (form: NewRunForm, project: string): SavedForm => ({
  form: { ...form, project, projectName: '', prompt: '' },
  attempt: null,
})
