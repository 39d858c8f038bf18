import './look/base.css'
import { createRoot } from 'react-dom/client'
import { Gate } from './getting-in/gate.tsx'
import { beginVisit } from './getting-in/here.ts'
import { noteTyping } from './look/typing.ts'
import { App } from './shell/app.tsx'
import { Part } from './shell/part.tsx'
import { SignedIn } from './shell/signed-in.tsx'
import { showTheme } from './shell/theme.ts'
import { keepWorker } from './sw/keep-worker.ts'

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
