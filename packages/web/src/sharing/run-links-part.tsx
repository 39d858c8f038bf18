import type { Hub } from '@farhand/client/requests/hub'
import { addressOf } from '@farhand/client/resources/resources'
import { listRunLinks, revokeRunLink, shareRun } from '@farhand/client/resources/sharing'
import type { Run } from '@farhand/protocol/schemas/api'
import { runLink } from '@farhand/protocol/schemas/sharing'
import { useCallback, useState } from 'react'
import css from '../account/account.module.css'
import { AskedList } from '../account/asked-list.tsx'
import { useList } from '../account/use-list.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toasts.ts'
import { MadeLink } from './made-link.tsx'
import own from './sharing.module.css'

const shownDays = 7

/** The links that show one run to others, read only. */
export function RunLinksPart({ hub, about }: { hub: Hub; about: Run }) {
  const ask = useCallback(() => listRunLinks(hub, about.id, { patienceMs: 0 }), [hub, about.id])
  const [links, again] = useList(ask)
  const [made, setMade] = useState<string | null>(null)
  const act = (what: () => Promise<unknown>) =>
    what()
      .catch((error: Error) => toast(`That did not work: ${error.message}`, { tone: 'bad' }))
      .finally(() => void again())
  const make = () =>
    act(async () => {
      const { token } = await shareRun(hub, addressOf(about), { days: shownDays })
      setMade(runLink(location.origin, token))
    })
  return (
    <section className={own.part}>
      <h3>Show this run by a link</h3>
      <p className={css.soft}>
        Anyone who has the link sees this run for {shownDays} days: its conversation and the files in it, and
        nothing else of the project.
      </p>
      <div>
        <Button onClick={() => void make()}>Make a link</Button>
      </div>
      {made !== null && <MadeLink label="Link to this run" link={made} />}
      <AskedList list={links} none="No link shows this run." onRetry={() => void again()}>
        {(link) => (
          <li key={link.id} className={css.row}>
            <p className={css.what}>
              Shown until {new Date(link.expiresAt).toLocaleDateString('en', { dateStyle: 'medium' })}
              <span className={css.when}>{link.lastUsedAt === null ? 'not opened yet' : 'opened'}</span>
            </p>
            <Button as="danger" isSmall onClick={() => void act(() => revokeRunLink(hub, link.id))}>
              Revoke
            </Button>
          </li>
        )}
      </AskedList>
    </section>
  )
}
