import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'

/** A message of the user that the hub may not have yet. Its key makes it harmless to send it twice. */
export type Unsent = { key: string; at: RunAddress; notification: Notification }

/** Where messages wait until the hub has them. A page that is closed in between must find them again. */
export interface Outbox {
  /** Resolves once the message would survive a crash. A key that is there already stays as it was, where it was. */
  put(message: Unsent): Promise<void>
  /** The messages of one run, in the order in which they were put. */
  list(run: RunAddress['run']): Promise<Unsent[]>
  /** Forgets a message; one that is not there is fine. */
  remove(key: string): Promise<void>
}
