import { version } from '../../package.json'
import { Button } from '../ui/button.tsx'
import css from './settings-page.module.css'

/** The version of the app, its hub, and the list of shortcuts. */
export function AboutPart({ onKeys }: { onKeys: () => void }) {
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
