import type { Hub } from '@farhand/client/requests/hub'
import { useEffect, useState } from 'react'
import css from '../settings/settings-page.module.css'
import { Button } from '../ui/button.tsx'
import { currentPushState, turnOffPush, turnOnPush } from './push.ts'
import type { PushState } from './push-state.ts'

const words: Readonly<Record<PushState, string>> = {
  'unknown-here': 'This browser cannot be told anything while the page is closed.',
  insecure: 'Notifications need a page that came by https, or from this very machine.',
  'not-installed':
    'Put Farhand on the home screen first (Share, then “Add to Home Screen”), and open it from there.',
  blocked: 'This browser was told not to show any from here. Its own settings for this page can change that.',
  off: 'Be told here when a run needs you, is done or has failed, also when this page is closed.',
  on: 'You are told here when a run needs you, is done or has failed. Not while you are looking at it, and not of runs that you muted.',
}

/** The notification settings of this browser. The browser's permission prompt is opened only by a click. */
export function NotificationsPart({ hub }: { hub: Hub }) {
  const [state, setState] = useState<PushState | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)
  useEffect(() => void currentPushState().then(setState), [])
  const change = async (how: (hub: Hub) => Promise<PushState>) => {
    setBusy(true)
    setTrouble(null)
    try {
      setState(await how(hub))
    } catch (error) {
      setTrouble(`This browser cannot be told just now; it says: ${(error as Error).message}.`)
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className={css.part} aria-labelledby="settings-notifications">
      <h2 id="settings-notifications">Notifications</h2>
      <p className={css.soft} aria-live="polite">
        {trouble ?? (state && words[state])}
      </p>
      <div className={css.row}>
        {state === 'off' && (
          <Button icon="bell" as="main" disabled={isBusy} onClick={() => change(turnOnPush)}>
            Tell me on this device
          </Button>
        )}
        {state === 'on' && (
          <Button icon="bell-off" disabled={isBusy} onClick={() => change(turnOffPush)}>
            Tell me nothing here
          </Button>
        )}
      </div>
    </section>
  )
}
