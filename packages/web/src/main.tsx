import './ui/base.css'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { SignedIn } from './app/signed-in.tsx'
import { Part } from './page/lazy-part.tsx'
import { noteTyping } from './scheduling/typing.ts'
import { keepWorker } from './service-worker/register-worker.ts'
import { showTheme } from './settings/theme.ts'
import { beginVisit } from './sign-in/session.ts'
import { Gate } from './sign-in/sign-in-gate.tsx'

showTheme()
// First: a key must not stay in the address while anything else looks at it.
beginVisit()
noteTyping()
createRoot(document.getElementById('app')!).render(
  <Part>
    <Gate>
      {({ user }) => (
        <SignedIn user={user}>
          <App />
        </SignedIn>
      )}
    </Gate>
  </Part>,
)
keepWorker()
