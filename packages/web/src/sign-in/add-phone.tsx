import { listSessions, makeSignInCode } from '@farhand/client/resources/sessions'
import { sleep } from '@farhand/kit/sleep'
import { type Session, signInCodeMinutes, signInLink, urlForOthers } from '@farhand/protocol/schemas/sessions'
import { useEffect, useMemo, useState } from 'react'
import { encode } from 'uqr'
import { cliCommand } from '../text/cli-command.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { qrPath } from './qr-path.ts'
import { pageHub } from './session.ts'
import css from './sign-in.module.css'

/** Shows a link that signs in one more device. The link is shown only here; closing the dialog discards it. */
export function AddPhone({ onClose }: { onClose: () => void }) {
  const [tries, setTries] = useState(0)
  return (
    <Dialog title="Add a phone" onClose={onClose}>
      <PhoneLink key={tries} onRetry={() => setTries(tries + 1)} />
    </Dialog>
  )
}

type Good = { url: string; code: string; until: Date }
type Link =
  | { is: 'asking' | 'silence' | 'alone' | 'over' }
  | { is: 'in'; name: string }
  | ({ is: 'good' } & Good)

const goodForMs = signInCodeMinutes * 60_000

function PhoneLink({ onRetry }: { onRetry: () => void }) {
  const [link, setLink] = useState<Link>({ is: 'asking' })
  useEffect(() => {
    const left = new AbortController()
    const { signal } = left
    makeSignInCode(pageHub, { signal, patienceMs: 3000 }).then(
      ({ code, urls }) => {
        if (signal.aborted) return
        // If this page was reached from another machine, a phone can reach it too, even if the hub does not know this URL.
        const url = urlForOthers([location.origin, ...urls])
        if (url === null) return setLink({ is: 'alone' })
        // By the clock of this device, which may differ from the hub's.
        setLink({ is: 'good', url, code, until: new Date(Date.now() + goodForMs) })
        const timer = setTimeout(() => setLink({ is: 'over' }), goodForMs)
        signal.addEventListener('abort', () => clearTimeout(timer))
        void nextDevice(signal).then(
          ({ name }) => setLink({ is: 'in', name }),
          () => {},
        )
      },
      () => signal.aborted || setLink({ is: 'silence' }),
    )
    return () => left.abort()
  }, [])
  if (link.is === 'in')
    return (
      <p role="status">
        <Icon name="check" size={18} /> <bdi>{link.name}</bdi> is signed in.
      </p>
    )
  if (link.is === 'good') return <PhoneCode {...link} />
  if (link.is === 'asking') return <p className={css.soft}>Asking the hub…</p>
  if (link.is === 'alone')
    return (
      <p>
        A phone cannot reach this hub: it listens to this machine only. <code>{cliCommand} up --lan</code>{' '}
        lets your network reach it; a hub that you start yourself takes <code>--host 0.0.0.0</code>, or the{' '}
        <code>--public-url</code> of a server with https in front of it.
      </p>
    )
  return (
    <div className={css.form}>
      <p role="alert">{link.is === 'over' ? 'This link has expired.' : 'The hub does not answer.'}</p>
      <Button onClick={onRetry}>{link.is === 'over' ? 'Make a new one' : 'Try again'}</Button>
    </div>
  )
}

const lookEveryMs = 1500

/** The next device that signs in. */
async function nextDevice(signal: AbortSignal): Promise<Session> {
  const options = { signal, patienceMs: goodForMs }
  const before = new Set((await listSessions(pageHub, options)).map(({ id }) => id))
  for (;;) {
    await sleep(lookEveryMs, { signal })
    const found = (await listSessions(pageHub, options)).find(({ id }) => !before.has(id))
    if (found) return found
  }
}

function PhoneCode({ url, code, until }: Good) {
  const squares = useMemo(() => encode(signInLink(url, code), { border: 4 }).data, [url, code])
  const size = squares.length
  return (
    <div className={css.form}>
      <p>
        Point the camera of the phone at this. It signs in one device, once, until{' '}
        <time dateTime={until.toISOString()}>
          {until.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
        </time>
        : keep it to yourself.
      </p>
      {/* Dark on light in both themes: some cameras cannot read inverted codes. */}
      <svg className={css.qr} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" role="img">
        <title>The link as a QR code</title>
        <rect width={size} height={size} fill="#fff" />
        <path d={qrPath(squares)} fill="#000" />
      </svg>
      <p>
        Without a camera: open <b className={css.address}>{url}</b> there, and type{' '}
        <code className={css.typed}>{`${code.slice(0, 5)}-${code.slice(5)}`}</code>
      </p>
      {url.startsWith('http:') && (
        <p className={css.soft}>
          The phone must be in the same network. Over http others there could read along, and a phone shows no
          notifications and does not install the app. A hub with https in front of it can do both.
        </p>
      )}
    </div>
  )
}
