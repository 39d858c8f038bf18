import { type ReactNode, useEffect, useState } from 'react'
import { Live } from '../live/live.ts'
import { LiveContext } from '../live/use-live.ts'
import { routeOf } from '../navigation/route.ts'
import { notifyInPage } from '../notifications/notify-in-page.ts'
import { renewPush } from '../notifications/push.ts'
import { pageHub } from '../sign-in/session.ts'

/** Keeps the user's runs live while the user is signed in. */
export function SignedIn({ user, children }: { user: string; children: ReactNode }) {
  const [live, setLive] = useState<Live | null>(null)
  useEffect(() => {
    let isGone = false
    let stop = () => {}
    const begun = Live.begin(pageHub, user).then((made) => {
      if (isGone) return made
      // Start this before the first render: a user who opens the page of a run waits for this request.
      const shown = routeOf(location.pathname)
      if (shown.is === 'run') made.run(shown.run)
      setLive(made)
      stop = notifyInPage(made.runs)
      // Without a network, the next page load tries again.
      renewPush(pageHub).catch(() => {})
      return made
    })
    return () => {
      isGone = true
      stop()
      setLive(null)
      void begun.then((made) => made.end())
    }
  }, [user])
  return live && <LiveContext value={live}>{children}</LiveContext>
}
