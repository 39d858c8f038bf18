import { listDevices, revokeDevice } from '@farhand/client/resources/accounts'
import type { BoundDevice } from '@farhand/protocol/schemas/accounts'
import { useEffect, useRef, useState } from 'react'
import { lastSeenInWords } from '../sign-in/device-row.tsx'
import { pageHub } from '../sign-in/session.ts'
import { cliCommand } from '../text/cli-command.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { toast } from '../ui/toasts.ts'
import css from './account.module.css'
import { ApproveDevice } from './approve-device.tsx'
import { AskedList } from './asked-list.tsx'
import { useList } from './use-list.ts'

const ask = () => listDevices(pageHub, { patienceMs: 0 })

/** The computers that the user has bound, a button to revoke each, and a field for the code of a new one. */
export function BoundDevices() {
  const [devices, again] = useList(ask)
  const [leaving, setLeaving] = useState<BoundDevice | null>(null)
  const part = useRef<HTMLElement>(null)
  useEffect(() => {
    // A computer that waits for approval names this address. The browser itself looked before this part was there.
    if (location.hash === '#devices') part.current?.scrollIntoView()
  }, [])
  const revoke = async ({ id, name }: BoundDevice) => {
    setLeaving(null)
    try {
      await revokeDevice(pageHub, id, { patienceMs: 3000 })
      toast(`${name} is revoked.`)
    } catch {
      toast(`${name} could not be revoked.`, { tone: 'bad' })
    }
    await again()
  }
  return (
    <section className={css.part} id="devices" ref={part} aria-labelledby="settings-devices">
      <h2 id="settings-devices">Devices</h2>
      <p className={css.soft}>
        Computers that are bound to this hub with <code>{cliCommand} bind</code>. They stay bound until you
        revoke them.
      </p>
      <AskedList list={devices} none="You have bound no computer yet." onRetry={() => void again()}>
        {(device) => (
          <li key={device.id} className={css.row}>
            <p className={css.what}>
              {/* The name must not change the text direction of the words beside it. */}
              <bdi>{device.name}</bdi>
              <span className={css.when}>
                since {new Date(device.createdAt).toLocaleDateString('en', { dateStyle: 'medium' })},{' '}
                {lastSeenInWords(device.lastSeenAt, Date.now())}
              </span>
            </p>
            <Button
              as="danger"
              isSmall
              onClick={() => setLeaving(device)}
              aria-label={`Revoke ${device.name}`}
            >
              Revoke
            </Button>
          </li>
        )}
      </AskedList>
      <ApproveDevice onApproved={() => void again()} />
      {leaving && (
        <Dialog
          title={`Revoke ${leaving.name}?`}
          onClose={() => setLeaving(null)}
          buttons={
            <>
              <Button onClick={() => setLeaving(null)}>Keep it</Button>
              <Button as="danger" isGuarded onClick={() => void revoke(leaving)}>
                Revoke
              </Button>
            </>
          }
        >
          <p>
            Its tokens work no more, at once: its linked folders wait, and browsers that were signed in from
            it are signed out. Runs go on. To come back it has to be bound again.
          </p>
        </Dialog>
      )}
    </section>
  )
}
