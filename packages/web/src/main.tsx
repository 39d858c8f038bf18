import './ui/base.css'
import { lazy } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { SignedIn } from './app/signed-in.tsx'
import { sharedTokenIn } from './navigation/route.ts'
import { LazyPart } from './page/lazy-part.tsx'
import { watchTyping } from './scheduling/typing.ts'
import { registerWorker } from './service-worker/register-worker.ts'
import { showTheme } from './settings/theme.ts'
import { startSession } from './sign-in/session.ts'
import { SignInGate } from './sign-in/sign-in-gate.tsx'

const SharedView = lazy(() =>
  import('./shared-view/shared-view.tsx').then((it) => ({ default: it.SharedView })),
)

showTheme()
const shared = sharedTokenIn(location.hash)
// First, so that a sign-in key leaves the address before any other code can read it.
if (shared === null) startSession()
// Such a link, opened in a tab that shows the app, changes only the fragment.
addEventListener('hashchange', () => sharedTokenIn(location.hash) !== shared && location.reload())
watchTyping()
createRoot(document.getElementById('app')!).render(
  <LazyPart>
    {shared !== null ? (
      <SharedView token={shared} />
    ) : (
      <SignInGate>
        {({ user }) => (
          <SignedIn user={user}>
            <App />
          </SignedIn>
        )}
      </SignInGate>
    )}
  </LazyPart>,
)
registerWorker()
