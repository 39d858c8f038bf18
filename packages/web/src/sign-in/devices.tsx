import { endSession, listSessions, renameSession } from '@farhand/client/resources/sessions'
import type { Session } from '@farhand/protocol/schemas/sessions'
import { lazy, useCallback, useEffect, useState } from 'react'
import { LazyPart } from '../page/lazy-part.tsx'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toasts.ts'
import { DeviceRow } from './device-row.tsx'
import { idleInWords } from './idle-in-words.ts'
import { pageHub, recheckSignIn, signOutHere, useSignInState } from './session.ts'
import css from './sign-in.module.css'
import { SignOutDialog } from './sign-out-dialog.tsx'

// Loaded on first use, because it contains the QR encoder.
const AddPhone = lazy(() => import('./add-phone.tsx').then((it) => ({ default: it.AddPhone })))

/** The signed-in devices of the user, with buttons to rename and sign out each, and to sign out here. */
export function Devices() {
  const state = useSignInState()
  const [sessions, setSessions] = useState<Session[] | 'asking' | 'silence'>('asking')
  const ask = useCallback(
    () =>
      listSessions(pageHub, { patienceMs: 0 }).then(setSessions, () => {
        setSessions((before) => (typeof before === 'string' ? 'silence' : before))
        void recheckSignIn()
      }),
    [],
  )
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<Session | 'here' | null>(null)
  useEffect(() => void ask(), [ask])
  const end = async ({ id, name }: Session) => {
    try {
      await endSession(pageHub, id, { patienceMs: 3000 })
      toast(`${name} is signed out.`)
    } catch {
      toast(`${name} could not be signed out.`, { tone: 'bad' })
    }
    await ask()
  }
  const rename = async ({ id }: Session, name: string) => {
    try {
      await renameSession(pageHub, id, name, { patienceMs: 3000 })
    } catch (error) {
      toast(`It could not be renamed: ${(error as Error).message}`, { tone: 'bad' })
    }
    await ask()
  }
  const out = () =>
    signOutHere().catch(() => toast('The hub does not answer: you are still signed in.', { tone: 'bad' }))
  return (
    <section className={css.devices} aria-labelledby="devices-title">
      <h2 id="devices-title">Signed in</h2>
      {state.is === 'signed-in' && (
        <div className={css.device}>
          <p className={css.what}>
            You are <b>{state.me.name}</b>.
          </p>
          <Button onClick={() => setLeaving('here')}>Sign out here</Button>
        </div>
      )}
      <SignsOutByItself sessions={sessions} />
      <Others sessions={sessions} onEnd={setLeaving} onRename={rename} onRetry={() => void ask()} />
      <Button className={css.add} onClick={() => setAdding(true)}>
        Add a phone
      </Button>
      {isAdding && (
        <LazyPart as="aside" onFail={() => setAdding(false)}>
          <AddPhone
            onClose={() => {
              setAdding(false)
              void ask()
            }}
          />
        </LazyPart>
      )}
      {leaving && (
        <SignOutDialog
          device={leaving === 'here' ? null : leaving.name}
          onClose={() => setLeaving(null)}
          onAgree={() => {
            setLeaving(null)
            void (leaving === 'here' ? out() : end(leaving))
          }}
        />
      )}
    </section>
  )
}

function SignsOutByItself({ sessions }: { sessions: Session[] | string }) {
  const own = typeof sessions === 'string' ? undefined : sessions.find(({ isThis }) => isThis)
  const idle = own && idleInWords(own)
  if (!idle) return null
  return (
    <p className={css.soft}>
      A browser that is not used for {idle} is signed out by itself. Its notifications go on until you sign it
      out here.
    </p>
  )
}

type OthersProps = {
  sessions: Session[] | 'asking' | 'silence'
  onEnd: (session: Session) => void
  onRename: (session: Session, name: string) => void
  onRetry: () => void
}

function Others({ sessions, onEnd, onRename, onRetry }: OthersProps) {
  if (sessions === 'asking') return <p className={css.soft}>Asking the hub…</p>
  if (sessions === 'silence')
    return (
      <p className={css.soft}>
        The hub does not answer.{' '}
        <button type="button" className={css.link} onClick={onRetry}>
          Try again
        </button>
      </p>
    )
  return (
    <ul className={css.list}>
      {sessions.map((one) => (
        <DeviceRow key={one.id} device={one} onEnd={onEnd} onRename={onRename} />
      ))}
    </ul>
  )
}
