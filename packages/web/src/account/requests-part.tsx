import { acceptRequest, cancelRequest, listRequests } from '@farhand/client/resources/requests'
import type { DeviceRequest } from '@farhand/protocol/schemas/requests'
import { agoInWords } from '@farhand/story/wording/ago-in-words'
import { Link } from '../navigation/link.tsx'
import { pageHub } from '../sign-in/session.ts'
import { cliCommand } from '../text/cli-command.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toasts.ts'
import css from './account.module.css'
import { AskedList } from './asked-list.tsx'
import { useList } from './use-list.ts'

const shown = 20
const ask = async () => (await listRequests(pageHub, { patienceMs: 0 })).items.slice(0, shown)

/** What became of the user's latest requests, and the yes or no to what is offered. */
export function RequestsPart() {
  const [requests, again] = useList(ask)
  const change = async (request: DeviceRequest, to: typeof acceptRequest, failed: string) => {
    await to(pageHub, request.id, { patienceMs: 3000 }).catch(() => toast(failed, { tone: 'bad' }))
    await again()
  }
  return (
    <section className={css.part} aria-labelledby="settings-requests">
      <h2 id="settings-requests">Requests</h2>
      <p className={css.soft}>
        Messages that your own computer answers when it is connected, and a sandbox when it is not. On a bound
        computer, <code>{cliCommand} requests on</code> allows it.
      </p>
      <AskedList list={requests} none="There is no request yet." onRetry={() => void again()}>
        {(request) => (
          <li key={request.id} className={css.row}>
            <p className={css.what}>
              <Link to={{ is: 'run', run: request.run, part: 'talk', event: null }}>
                <bdi>{request.message.slice(0, request.state === 'offered' ? undefined : 200)}</bdi>
              </Link>
              <span className={css.when}>{inWords(request, Date.now())}</span>
            </p>
            {request.state === 'offered' && (
              <Button isSmall onClick={() => void change(request, acceptRequest, 'It could not be queued.')}>
                Queue it
              </Button>
            )}
            {isOpen(request) && (
              <Button
                as="danger"
                isSmall
                onClick={() => void change(request, cancelRequest, 'It could not be canceled.')}
                aria-label={`Cancel ${request.message.slice(0, 80)}`}
              >
                {request.state === 'offered' ? 'No' : 'Cancel'}
              </Button>
            )}
          </li>
        )}
      </AskedList>
    </section>
  )
}

const isOpen = ({ state }: DeviceRequest) =>
  ['routed', 'offered', 'queued', 'sent', 'working'].includes(state)

function inWords({ state, states, decided, expires_at }: DeviceRequest, nowMs: number): string {
  const last = states.at(-1)
  const where = decided === 'cloud' ? 'in a sandbox' : 'on your computer'
  const until =
    expires_at !== null && ['offered', 'queued', 'sent'].includes(state)
      ? `, until ${expires_at.slice(0, 10)}`
      : ''
  const since = last ? `, ${agoInWords(last.at, nowMs)}` : ''
  return `${stateWords[state]}${state === 'working' ? ` ${where}` : ''}${until}${since}`
}

const stateWords: Record<DeviceRequest['state'], string> = {
  routed: 'being sent',
  offered: 'needs your computer: queue it?',
  queued: 'waits for your computer',
  sent: 'given to your computer',
  working: 'at work',
  done: 'done',
  failed: 'failed',
  expired: 'expired: your computer was not on in time',
  canceled: 'canceled',
}
