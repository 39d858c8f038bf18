import type { ReactNode } from 'react'
import { Spinner } from '../ui/spinner.tsx'
import { NotSignedIn } from './not-signed-in.tsx'
import { recheckSignIn, useSignInState } from './session.ts'
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
