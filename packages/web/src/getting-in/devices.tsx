import { endSession, listSessions } from '@farhand/client/sessions'
import { type Session, sessionDays } from '@farhand/protocol/sessions'
import { useCallback, useEffect, useState } from 'react'
import { Button } from '../look/button.tsx'
import { toast } from '../look/toasts.ts'
import css from './getting-in.module.css'
import { hubHere, leave, lookAgain, useHere } from './here.ts'
import { seenInWords } from './seen-in-words.ts'
import { SignOutDialog } from './sign-out-dialog.tsx'

/** Where somebody is signed in, with a way to end each, and to sign out here. */
export function Devices() {
  const here = useHere()
  const [sessions, setSessions] = useState<Session[] | 'asking' | 'silence'>('asking')
  const ask = useCallback(
    () =>
      listSessions(hubHere, { patienceMs: 0 }).then(setSessions, () => {
        setSessions((before) => (typeof before === 'string' ? 'silence' : before))
        void lookAgain()
      }),
    [],
  )
  const [leaving, setLeaving] = useState<Session | 'here' | null>(null)
  useEffect(() => void ask(), [ask])
  const end = async ({ id, name }: Session) => {
    try {
      await endSession(hubHere, id, { patienceMs: 3000 })
      toast(`${name} is signed out.`)
    } catch {
      toast(`${name} could not be signed out; the list shows how it is.`, { tone: 'bad' })
    }
    await ask()
  }
  const out = () =>
    leave().catch(() => toast('The hub does not answer: you are still signed in.', { tone: 'bad' }))
  return (
    <section className={css.devices} aria-labelledby="devices-title">
      <h2 id="devices-title">Signed in</h2>
      {here.is === 'in' && (
        <div className={css.device}>
          <p className={css.what}>
            You are <b>{here.me.name}</b>.
          </p>
          <Button onClick={() => setLeaving('here')}>Sign out here</Button>
        </div>
      )}
      <p className={css.soft}>A device that is not used for {sessionDays} days is signed out by itself.</p>
      <Others sessions={sessions} onEnd={setLeaving} onAgain={() => void ask()} />
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

type OthersProps = {
  sessions: Session[] | 'asking' | 'silence'
  onEnd: (session: Session) => void
  onAgain: () => void
}

function Others({ sessions, onEnd, onAgain }: OthersProps) {
  if (sessions === 'asking') return <p className={css.soft}>Asking the hub…</p>
  if (sessions === 'silence')
    return (
      <p className={css.soft}>
        The hub does not answer.{' '}
        <button type="button" className={css.link} onClick={onAgain}>
          Try again
        </button>
      </p>
    )
  return (
    <ul className={css.list}>
      {sessions.map((one) => (
        <li key={one.id} className={css.device}>
          <p className={css.what}>
            {one.name}
            {one.isThis && <span className={css.this}> this device</span>}
            <span className={css.when}>
              since {new Date(one.createdAt).toLocaleDateString('en', { dateStyle: 'medium' })}
              {one.lastSeenAt && !one.isThis && `, ${seenInWords(one.lastSeenAt, Date.now())}`}
            </span>
          </p>
          {!one.isThis && (
            <Button as="danger" isSmall onClick={() => onEnd(one)} aria-label={`Sign out ${one.name}`}>
              Sign out
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
