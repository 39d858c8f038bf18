import { emptyForm, type NewRunForm, type NewRunPlan } from './new-run-form.ts'
import { policies } from './ways-of-working.ts'

/** A start that may have arrived at the hub: the same plan is asked for under the same key. */
export type Attempt = { key: string; plan: string }
export type KeptForm = { form: NewRunForm; attempt: Attempt | null }

const choices = {
  startsFrom: ['empty', 'clone', 'fork'],
  network: ['full', 'none', 'hosts'],
  mode: ['interactive', 'background'],
  policy: policies,
} as const

/** The form as it was last left, from what the browser kept; what cannot be read is as in an empty one. */
export function readKept(text: string | null): KeptForm {
  const { form: said, attempt } = parsed(text) as { form?: Record<string, unknown>; attempt?: Attempt }
  const form: Record<string, unknown> = { ...emptyForm }
  for (const [name, usual] of Object.entries(emptyForm)) {
    const value = said?.[name]
    const among: readonly unknown[] | undefined = choices[name as keyof typeof choices]
    if (typeof usual === 'string' && typeof value === 'string' && (among?.includes(value) ?? true))
      form[name] = value
  }
  // A run that somebody once went on from is hardly the one they mean today.
  if (form.startsFrom === 'fork') form.startsFrom = 'empty'
  const isAttempt = typeof attempt?.key === 'string' && typeof attempt.plan === 'string'
  return { form: form as NewRunForm, attempt: isAttempt ? attempt : null }
}

/** What is kept once a run was begun: all that was chosen, and nothing that was said. */
export const afterBegun = (form: NewRunForm, project: string): KeptForm => ({
  form: { ...form, project, projectName: '', prompt: '' },
  attempt: null,
})

/** The key for a plan: that of the attempt before, if it was for the very same. */
export function attemptFor(plan: NewRunPlan, before: Attempt | null, newKey: () => string): Attempt {
  const said = JSON.stringify(plan)
  return before?.plan === said ? before : { key: newKey(), plan: said }
}

function parsed(text: string | null): object {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    // Cut short, or of somebody else: an empty form is as good a beginning.
    return {}
  }
}
