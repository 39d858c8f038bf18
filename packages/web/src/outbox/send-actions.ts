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

/** Gives the next action to send, and hears how sending it went. */
export type Sending = {
  /** The next action and its address; `wait` if the next one has to wait; null if there is none. */
  next(): Promise<{ pending: PendingAction; at: RunAddress } | 'wait' | null>
  began(action: PendingAction): void
  /** Sending failed and will be retried. */
  waits(action: PendingAction): void
  sent(action: PendingAction, eventId: number | null): Promise<void>
  refused(action: PendingAction, why: string): Promise<void>
  /** The state of the run changed before the action arrived: there is nothing left to do. */
  needless(action: PendingAction): Promise<void>
}

export type SendOptions = {
  signal: AbortSignal
  /** Calls back when a retry is worth it. */
  wake: (listener: () => void) => () => void
  backoff?: Backoff
}

const defaultBackoff: Backoff = { firstMs: 500, maxMs: 15_000 }

/** Sends the pending actions in order, each exactly once, with retries; resolves when there are none left. */
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
        // The next actions need not wait until the user has dealt with this one.
        await sending.refused(pending, whyInWords(pending.action, error))
        continue
      }
      failures += 1
      sending.waits(pending)
      await sleep(backoffMs(failures, backoff), { signal, wake })
    }
  }
}

/** The hub's message is for programs where its advice is an API call. */
function whyInWords(action: RunAction, error: unknown): string {
  if (action.do === 'put-back' && error instanceof Refusal && error.code === 'blob.missing')
    return `This version of ${action.path} cannot be restored. The hub keeps unused contents for 30 days, and these are gone.`
  if (error instanceof Refusal && error.code === 'run.closed') return 'The run is closed. Reopen it first.'
  return error instanceof Error ? error.message : String(error)
}

// The same user will sign in again: keep what they wrote.
const isSignIn = (error: unknown) => error instanceof Refusal && error.remedy === 'sign-in'

/** Sends an action. The hub stores it once per key or producer stamp. */
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
