import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { CallOptions } from '../requests/call.ts'
import type { Hub } from '../requests/hub.ts'
import type { Outbox, Unsent } from './outbox.ts'
import { post } from './post.ts'

export type SendOptions = Omit<CallOptions, 'patienceMs'> & {
  onSent?: (message: Unsent, eventId: number) => void
}

/**
 * Sends the messages of the outbox for a run, in order and each once, also after earlier interruptions; it waits for a
 * hub that cannot be reached. Resolves when the outbox is empty. If the hub refuses a message, that one and those behind
 * it stay, and the Refusal is thrown (Unconfirmed, if an earlier try may have arrived): the caller decides what to do
 * with the message.
 */
export async function sendFromOutbox(
  hub: Hub,
  at: RunAddress,
  outbox: Outbox,
  { onSent, ...options }: SendOptions = {},
): Promise<void> {
  for (;;) {
    const [message] = await outbox.list(at.run)
    if (!message) return
    const posted = await post(hub, message.at, message.notification, {
      ...options,
      key: message.key,
      patienceMs: Number.POSITIVE_INFINITY,
    })
    // A crash before this line sends the message again, under the same key: the hub answers with the same id.
    await outbox.remove(message.key)
    onSent?.(message, posted.lastEventId)
  }
}
