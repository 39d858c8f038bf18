import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { isPassing, Refusal } from '@farhand/client/requests/refusal'
import { initRun } from '@farhand/client/resources/resources'
import { type Backoff, backoffMs } from '@farhand/kit/backoff'
import { sleep } from '@farhand/kit/sleep'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { deedEvents } from './action-events.ts'
import type { Deed } from './actions.ts'
import type { KeptDeed } from './outbox.ts'

/** What is to be done with the next deed that waits, and how that went. */
export type Sending = {
  /** The next one to send and where to, `wait` if there is only one that has to wait, and null if there is none. */
  next(): Promise<{ kept: KeptDeed; at: RunAddress } | 'wait' | null>
  began(deed: KeptDeed): void
  /** It did not get through, and will be tried again. */
  waits(deed: KeptDeed): void
  sent(deed: KeptDeed, eventId: number | null): Promise<void>
  refused(deed: KeptDeed, why: string): Promise<void>
  /** What it was about has changed before it arrived: nothing is left to be done. */
  needless(deed: KeptDeed): Promise<void>
}

export type SendOptions = {
  signal: AbortSignal
  /** Rings when another try is worth it. */
  wake: (ring: () => void) => () => void
  backoff?: Backoff
}

const defaultBackoff: Backoff = { firstMs: 500, maxMs: 15_000 }

/** Sends what waits, in its order and each once, however often a try fails; resolves when nothing is left. */
export async function sendDeeds(hub: Hub, sending: Sending, options: SendOptions): Promise<void> {
  const { signal, wake, backoff = defaultBackoff } = options
  for (let failures = 0; ; ) {
    const next = await sending.next()
    if (next === null) return
    if (next === 'wait') {
      await sleep(Number.POSITIVE_INFINITY, { signal, wake })
      continue
    }
    const { kept, at } = next
    sending.began(kept)
    try {
      const eventId = await deliver(hub, at, kept, signal)
      failures = 0
      await sending.sent(kept, eventId)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Refusal && error.code === 'message.begun') {
        await sending.needless(kept)
        continue
      }
      if (!(isPassing(error) || isSignIn(error))) {
        // Those behind it need not wait for what its writer makes of this.
        await sending.refused(kept, whyInWords(kept.deed, error))
        continue
      }
      failures += 1
      sending.waits(kept)
      await sleep(backoffMs(failures, backoff), { signal, wake })
    }
  }
}

/** What the hub says is for programs where its remedy is one. */
function whyInWords(deed: Deed, error: unknown): string {
  if (deed.do === 'put-back' && error instanceof Refusal && error.code === 'blob.missing')
    return `This version of ${deed.path} cannot be put back. Contents that are no longer in use are kept for 30 days, and these are gone.`
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
  { key, deed }: KeptDeed,
  signal: AbortSignal,
): Promise<number | null> {
  const once = { signal, patienceMs: 0 }
  if (deed.do === 'open') {
    await initRun(hub, at, once)
    return null
  }
  const events = deedEvents(deed)
  const stamp = events.length === 1 ? { key } : { producer: { id: key, epoch: 0, seq: 0 } }
  const posted = await post(hub, at, events.length === 1 ? events[0]! : events, { ...once, ...stamp })
  return posted.ids.at(-1) ?? posted.lastEventId
}
