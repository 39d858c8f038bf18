import { Refusal } from '@farhand/client/requests/refusal'
import { decideDevice, waitingDevice } from '@farhand/client/resources/accounts'
import type { WaitingDevice } from '@farhand/protocol/schemas/accounts'
import { type FormEvent, useState } from 'react'
import { pageHub } from '../sign-in/session.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { toast } from '../ui/toasts.ts'
import css from './account.module.css'

type Props = { onApproved: () => void }

/** Takes the code that a computer shows, says which computer it is, and lets the user approve or refuse it. */
export function ApproveDevice({ onApproved }: Props) {
  const [code, setCode] = useState('')
  const [waiting, setWaiting] = useState<WaitingDevice | null>(null)
  const [trouble, setTrouble] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const work = async (act: () => Promise<void>) => {
    setBusy(true)
    setTrouble(undefined)
    await act().catch((error: unknown) => setTrouble(whyNot(error)))
    setBusy(false)
  }
  const look = (event: FormEvent) => {
    event.preventDefault()
    void work(async () => setWaiting(await waitingDevice(pageHub, code.trim(), { patienceMs: 0 })))
  }
  const decide = (isApproved: boolean) =>
    work(async () => {
      await decideDevice(pageHub, code.trim(), isApproved, { patienceMs: 0 })
      toast(
        isApproved ? `${waiting?.name ?? 'The computer'} is bound in a moment.` : 'The computer was refused.',
      )
      setWaiting(null)
      setCode('')
      if (isApproved) onApproved()
    })
  if (waiting !== null)
    return (
      <section className={css.card} aria-label="A computer waits for your approval">
        <p>
          <b>
            <bdi>{waiting.name}</bdi>
          </b>{' '}
          wants to work in your name. It asked from <b>{waiting.address}</b> at{' '}
          {new Date(waiting.since).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}.
        </p>
        <p className={css.soft}>
          Approve it only if you have just started <code>bind --code</code> there yourself. It can then do
          whatever you can, until you revoke it.
        </p>
        {trouble && <p role="alert">{trouble}</p>}
        <div className={css.buttons}>
          <Button as="main" isGuarded disabled={isBusy} onClick={() => void decide(true)}>
            Approve
          </Button>
          <Button disabled={isBusy} onClick={() => void decide(false)}>
            Refuse
          </Button>
        </div>
      </section>
    )
  return (
    <form className={css.form} onSubmit={look}>
      <Field label="Approve a computer by its code" trouble={trouble}>
        {(given) => (
          <input
            {...given}
            className={css.code}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            autoComplete="off"
            autoCapitalize="characters"
            autoCorrect="off"
            spellCheck={false}
            placeholder="K7QF-2M9X"
            maxLength={40}
          />
        )}
      </Field>
      <div className={css.buttons}>
        <Button type="submit" disabled={isBusy || code.trim() === ''}>
          Look it up
        </Button>
      </div>
    </form>
  )
}

function whyNot(error: unknown): string {
  if (!(error instanceof Refusal)) return 'The hub does not answer. Try again.'
  const [first = ''] = error.message.split('; ')
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}.`
}
