import { Presence } from '@farhand/protocol/schemas/sharing'
import type { EventSourceMessage } from 'eventsource-parser'

/** Passes on who looks at the run, if these messages say so. One that is not readable is skipped: the next replaces it. */
export function takePresence(
  messages: readonly EventSourceMessage[],
  take: (presence: Presence) => void,
): void {
  for (const { event, data } of messages) {
    if (event !== 'presence') continue
    try {
      take(Presence.parse(JSON.parse(data)))
    } catch {
      // A newer hub may say more than this client knows.
    }
  }
}
