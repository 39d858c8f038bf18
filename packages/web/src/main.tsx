import './ui/base.css'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { SignedIn } from './app/signed-in.tsx'
import { LazyPart } from './page/lazy-part.tsx'
import { watchTyping } from './scheduling/typing.ts'
import { registerWorker } from './service-worker/register-worker.ts'
import { showTheme } from './settings/theme.ts'
import { startSession } from './sign-in/session.ts'
import { SignInGate } from './sign-in/sign-in-gate.tsx'

showTheme()
// First, so that a sign-in key leaves the address before any other code can read it.
startSession()
watchTyping()
createRoot(document.getElementById('app')!).render(
  <LazyPart>
    <SignInGate>
      {({ user }) => (
        <SignedIn user={user}>
          <App />
        </SignedIn>
      )}
    </SignInGate>
  </LazyPart>,
)
registerWorker()
