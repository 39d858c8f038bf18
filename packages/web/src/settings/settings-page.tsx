import type { ReactNode } from 'react'
import { PlainPage } from '../page/plain-page.tsx'
import { Choice } from '../ui/choice.tsx'
import { AboutPart } from './about-part.tsx'
import css from './settings-page.module.css'
import { setTheme, type Theme, useTheme } from './theme.ts'

type Props = {
  /** The notification settings. */
  notifications: ReactNode
  /** The signed-in devices. */
  devices: ReactNode
  onKeys: () => void
}

/** The settings of this browser and of the signed-in user. */
export function SettingsPage({ notifications, devices, onKeys }: Props) {
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
        <AboutPart onKeys={onKeys} />
      </div>
    </PlainPage>
  )
}
