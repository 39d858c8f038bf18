import { eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** What says that everything is there, or that somebody does not wait for it. */
const begins = eventsNamed(
  'git_commit',
  'user_message',
  'shell',
  'file_request',
  'rest_request',
  'close',
  'session_close',
)

/**
 * Whether a run has what it begins with. A sandbox may be there before the files and the repository that a device is still
 * bringing: whoever filled it before they are whole would leave the agent without a repository (W40).
 */
export class AwaitedBase {
  isThere: boolean

  /** `waits` where nothing is in the workspace but what others bring. */
  constructor(waits: boolean) {
    this.isThere = !waits
  }

  take({ notification }: SeenEvent): void {
    const isAhead = isEvent(notification, 'git_commit') && notification.params?.kind === 'history'
    this.isThere ||= begins(notification) && !isAhead
  }
}
