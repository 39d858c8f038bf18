import { type ReactNode, useEffect, useState } from 'react'
import { Live } from '../live/live.ts'
import { LiveContext } from '../live/use-live.ts'
import { routeOf } from '../navigation/route.ts'
import { notifyInPage } from '../notifications/notify-in-page.ts'
import { renewPush } from '../notifications/push.ts'
import { pageHub } from '../sign-in/session.ts'

/** Keeps live what a user sees, from when they are known until they are gone. */
export function SignedIn({ user, children }: { user: string; children: ReactNode }) {
  const [live, setLive] = useState<Live | null>(null)
  useEffect(() => {
    let isGone = false
    let stop = () => {}
    const begun = Live.begin(pageHub, user).then((made) => {
      if (isGone) return made
      // Asked for before anything is drawn: whoever opens the page of a run waits for that, and for nothing else.
      const shown = routeOf(location.pathname)
      if (shown.is === 'run') made.run(shown.run)
      setLive(made)
      stop = notifyInPage(made.runs)
      // Without a network it is said the next time.
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
