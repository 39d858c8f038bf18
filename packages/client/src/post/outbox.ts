import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'

/** A message of the user that the hub may not have yet. Its key makes it harmless to send it twice. */
export type Unsent = { key: string; at: RunAddress; notification: Notification }

/** Stores messages until the hub has them. A page that was closed meanwhile must find them again. */
export interface Outbox {
  /** Resolves once the message would survive a crash. A second message with the same key changes nothing. */
  put(message: Unsent): Promise<void>
  /** The messages of one run, in the order in which they were put. */
  list(run: RunAddress['run']): Promise<Unsent[]>
  /** Removes a message; an unknown key is no error. */
  remove(key: string): Promise<void>
}
