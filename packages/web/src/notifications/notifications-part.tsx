import type { Hub } from '@farhand/client/requests/hub'
import { useEffect, useState } from 'react'
import css from '../settings/settings-page.module.css'
import { Button } from '../ui/button.tsx'
import { currentPushState, turnOffPush, turnOnPush } from './push.ts'
import type { PushState } from './push-state.ts'

const words: Readonly<Record<PushState, string>> = {
  'unknown-here': 'This browser does not support notifications while the page is closed.',
  insecure: 'Notifications need https, or a hub on this machine.',
  'not-installed':
    'Put Farhand on the home screen first (Share, then “Add to Home Screen”), and open it from there.',
  blocked: 'Notifications from this page are blocked. You can change that in the settings of the browser.',
  off: 'Get a notification on this device when a run needs you, is done or has failed, also when this page is closed.',
  on: 'You get a notification on this device when a run needs you, is done or has failed, but not for a run that you are looking at or have muted.',
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
      setTrouble(`Notifications could not be changed: ${(error as Error).message}.`)
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
            Turn on notifications
          </Button>
        )}
        {state === 'on' && (
          <Button icon="bell-off" disabled={isBusy} onClick={() => change(turnOffPush)}>
            Turn off notifications
          </Button>
        )}
      </div>
    </section>
  )
}
