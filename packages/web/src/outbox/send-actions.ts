import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { isPassing, Refusal } from '@farhand/client/requests/refusal'
import { initRun } from '@farhand/client/resources/resources'
import { type Backoff, backoffMs } from '@farhand/kit/backoff'
import { sleep } from '@farhand/kit/sleep'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { actionEvents } from './action-events.ts'
import type { RunAction } from './actions.ts'
import type { PendingAction } from './outbox.ts'

/** What is to be done with the next action that waits, and how that went. */
export type Sending = {
  /** The next one to send and where to, `wait` if there is only one that has to wait, and null if there is none. */
  next(): Promise<{ pending: PendingAction; at: RunAddress } | 'wait' | null>
  began(action: PendingAction): void
  /** It did not get through, and will be tried again. */
  waits(action: PendingAction): void
  sent(action: PendingAction, eventId: number | null): Promise<void>
  refused(action: PendingAction, why: string): Promise<void>
  /** What it was about has changed before it arrived: nothing is left to be done. */
  needless(action: PendingAction): Promise<void>
}

export type SendOptions = {
  signal: AbortSignal
  /** Rings when another try is worth it. */
  wake: (ring: () => void) => () => void
  backoff?: Backoff
}

const defaultBackoff: Backoff = { firstMs: 500, maxMs: 15_000 }

/** Sends what waits, in its order and each once, however often a try fails; resolves when nothing is left. */
export async function sendActions(hub: Hub, sending: Sending, options: SendOptions): Promise<void> {
  const { signal, wake, backoff = defaultBackoff } = options
  for (let failures = 0; ; ) {
    const next = await sending.next()
    if (next === null) return
    if (next === 'wait') {
      await sleep(Number.POSITIVE_INFINITY, { signal, wake })
      continue
    }
    const { pending, at } = next
    sending.began(pending)
    try {
      const eventId = await deliver(hub, at, pending, signal)
      failures = 0
      await sending.sent(pending, eventId)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Refusal && error.code === 'message.begun') {
        await sending.needless(pending)
        continue
      }
      if (!(isPassing(error) || isSignIn(error))) {
        // Those behind it need not wait for what its writer makes of this.
        await sending.refused(pending, whyInWords(pending.action, error))
        continue
      }
      failures += 1
      sending.waits(pending)
      await sleep(backoffMs(failures, backoff), { signal, wake })
    }
  }
}

/** What the hub says is for programs where its remedy is one. */
function whyInWords(action: RunAction, error: unknown): string {
  if (action.do === 'put-back' && error instanceof Refusal && error.code === 'blob.missing')
    return `This version of ${action.path} cannot be put back. Contents that are no longer in use are pending for 30 days, and these are gone.`
  if (error instanceof Refusal && error.code === 'run.closed')
    return 'The run is closed: open it again first.'
  return error instanceof Error ? error.message : String(error)
}

// Whoever signs in again is the same person: what they wrote before is not lost by that.
const isSignIn = (error: unknown) => error instanceof Refusal && error.remedy === 'sign-in'

/** Sends it once; under the same key, or stamp, a hub stores it once however often it comes. */
async function deliver(
  hub: Hub,
  at: RunAddress,
  { key, action }: PendingAction,
  signal: AbortSignal,
): Promise<number | null> {
  const once = { signal, patienceMs: 0 }
  if (action.do === 'open') {
    await initRun(hub, at, once)
    return null
  }
  const events = actionEvents(action)
  const stamp = events.length === 1 ? { key } : { producer: { id: key, epoch: 0, seq: 0 } }
  const posted = await post(hub, at, events.length === 1 ? events[0]! : events, { ...once, ...stamp })
  return posted.ids.at(-1) ?? posted.lastEventId
}
