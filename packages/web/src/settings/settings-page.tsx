import type { ReactNode } from 'react'
import { version } from '../../package.json'
import { PlainPage } from '../page/plain-page.tsx'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import css from './settings-page.module.css'
import { setTheme, type Theme, useTheme } from './theme.ts'

type Props = {
  /** The notification settings. */
  notifications: ReactNode
  /** The signed-in browsers. */
  devices: ReactNode
  /** The user's computers, password and tokens. */
  account: ReactNode
  onKeys: () => void
}

/** The settings of this browser and of the signed-in user. */
export function SettingsPage({ notifications, devices, account, onKeys }: Props) {
  const theme = useTheme()
  return (
    <PlainPage title="Settings">
      <div className={css.parts}>
        <section className={css.part} aria-labelledby="settings-look">
          <h2 id="settings-look">Appearance</h2>
          <Choice<Theme>
            label="Colours"
            value={theme}
            onChoose={setTheme}
            options={[
              { value: 'system', label: 'Automatic' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
        </section>
        {notifications}
        {devices}
        {account}
        <AboutPart onKeys={onKeys} />
      </div>
    </PlainPage>
  )
}

/** The version of the app, its hub, and the list of shortcuts. */
function AboutPart({ onKeys }: { onKeys: () => void }) {
  return (
    <section className={css.part} aria-labelledby="settings-about">
      <h2 id="settings-about">About</h2>
      <p className={css.soft}>
        Farhand {version}. This page was served by the hub at <b>{location.host}</b> and talks to no other
        server.
      </p>
      <div className={css.row}>
        <Button icon="keyboard" onClick={onKeys}>
          Keyboard shortcuts
        </Button>
        <a href="/api/openapi.json">API description</a>
      </div>
    </section>
  )
}
