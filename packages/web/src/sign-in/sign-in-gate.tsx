import type { ReactNode } from 'react'
import { type FormEvent, useId, useState } from 'react'
import { cliCommand } from '../text/cli-command.ts'
import { Button } from '../ui/button.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { PasswordForm } from './password-form.tsx'
import { recheckSignIn, signInWith, useSignInState } from './session.ts'
import css from './sign-in.module.css'
import type { SignedInUser } from './sign-in-flow.ts'

/** Shows the app to a signed-in user, and the sign-in page otherwise. */
export function SignInGate({ children }: { children: (me: SignedInUser) => ReactNode }) {
  const state = useSignInState()
  switch (state.is) {
    case 'signed-in':
      return children(state.me)
    case 'signed-out':
      return <NotSignedIn why={state.why} />
    case 'hub-away':
      return (
        <main className={css.page}>
          <h1>The hub does not answer</h1>
          <p className={css.soft} role="status">
            <Spinner /> Trying again. Is it running, and is this device in its network?
          </p>
          <button type="button" className={css.link} onClick={() => void recheckSignIn()}>
            Try now
          </button>
        </main>
      )
    case 'checking':
      // An empty page for a moment is better than a spinner that flashes.
      return <main className={css.page} aria-busy="true" />
  }
}

/** The sign-in page: says how to get a link, and takes its code. */
function NotSignedIn({ why }: { why: string | null }) {
  const [code, setCode] = useState('')
  const [isTrying, setTrying] = useState(false)
  const name = useId()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setTrying(true)
    await signInWith({ code: code.trim() })
    setTrying(false)
  }
  return (
    <main className={css.page}>
      <h1>Sign in to Farhand</h1>
      {why && (
        <p className={css.why} role="alert">
          {why}
        </p>
      )}
      <p>
        On the computer where your hub is, run <code>{cliCommand} up</code> and open its link here, or scan
        the QR code that <code>q</code> shows.
      </p>
      <form className={css.form} onSubmit={submit}>
        <label htmlFor={name}>Or type the code at the end of the link</label>
        <div className={css.row}>
          <input
            id={name}
            className={css.code}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            autoCorrect="off"
            spellCheck={false}
            enterKeyHint="go"
            placeholder="K7QF2 M9XTB"
            maxLength={40}
          />
          <Button as="main" type="submit" disabled={isTrying || code.trim() === ''}>
            {isTrying ? 'Signing in…' : 'Sign in'}
          </Button>
        </div>
      </form>
      <PasswordForm />
      <p className={css.soft}>
        A link works once, within ten minutes. You stay signed in on this device until you sign out, or do not
        use it for a day; the operator of the hub may have set another time.
      </p>
    </main>
  )
}
