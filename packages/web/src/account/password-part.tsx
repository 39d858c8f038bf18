import { Refusal } from '@farhand/client/requests/refusal'
import { passwordState, setPassword } from '@farhand/client/resources/accounts'
import { type PasswordState, passwordLength } from '@farhand/protocol/schemas/accounts'
import { type FormEvent, useCallback, useEffect, useState } from 'react'
import { pageHub } from '../sign-in/session.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { toast } from '../ui/toasts.ts'
import css from './account.module.css'

/** Sets the user's password. Shortly after a sign-in the present one is not needed. */
export function PasswordPart() {
  const [state, setState] = useState<PasswordState | null>(null)
  const ask = useCallback(
    () => passwordState(pageHub, { patienceMs: 0 }).then(setState, () => setState(null)),
    [],
  )
  useEffect(() => void ask(), [ask])
  // A hub that does not answer, or is too old: the other parts of the page say so.
  if (state === null) return null
  return (
    <section className={css.part} aria-labelledby="settings-password">
      <h2 id="settings-password">Password</h2>
      <p className={css.soft}>
        With your user name and a password you sign in to this page and bind computers.{' '}
        {state.isSet && state.changedAt !== null
          ? `It was set on ${new Date(state.changedAt).toLocaleDateString('en', { dateStyle: 'medium' })}.`
          : 'You have none yet.'}
      </p>
      {state.needsOld && !state.isSet ? (
        <p className={css.soft}>
          Sign out and in again to set one: that works for 15 minutes after a sign-in.
        </p>
      ) : (
        <PasswordForm needsOld={state.needsOld} onSet={() => void ask()} />
      )}
    </section>
  )
}

function PasswordForm({ needsOld, onSet }: { needsOld: boolean; onSet: () => void }) {
  const [old, setOld] = useState('')
  const [password, setNew] = useState('')
  const [trouble, setTrouble] = useState<{ field: string; says: string } | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setTrouble(null)
    try {
      await setPassword(pageHub, { password, ...(needsOld && { old }) })
      toast('Your password is set.')
      setOld('')
      setNew('')
      onSet()
    } catch (error) {
      setTrouble(whatIsWrong(error))
    } finally {
      setBusy(false)
    }
  }
  const of = (field: string) => (trouble?.field === field ? trouble.says : undefined)
  return (
    <form className={css.form} onSubmit={submit}>
      {needsOld && (
        <Field label="Present password" trouble={of('old')}>
          {(given) => (
            <input
              {...given}
              type="password"
              value={old}
              onChange={(event) => setOld(event.target.value)}
              autoComplete="current-password"
            />
          )}
        </Field>
      )}
      <Field
        label="New password"
        trouble={of('password')}
        hint={`At least ${passwordLength.least} characters.`}
      >
        {(given) => (
          <input
            {...given}
            type="password"
            value={password}
            onChange={(event) => setNew(event.target.value)}
            autoComplete="new-password"
            minLength={passwordLength.least}
            maxLength={passwordLength.most}
          />
        )}
      </Field>
      <div className={css.buttons}>
        <Button
          type="submit"
          disabled={isBusy || password.length < passwordLength.least || (needsOld && old === '')}
        >
          Set password
        </Button>
      </div>
    </form>
  )
}

function whatIsWrong(error: unknown): { field: string; says: string } {
  if (!(error instanceof Refusal)) return { field: 'password', says: 'The hub does not answer. Try again.' }
  const field = error.details.field === 'old' ? 'old' : 'password'
  const [first = ''] = error.message.replace(/^(old|password): /, '').split('; ')
  return { field, says: `${first.charAt(0).toUpperCase()}${first.slice(1)}.` }
}
