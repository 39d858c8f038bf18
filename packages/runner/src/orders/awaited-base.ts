import { eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** Events that show that the base is there, or that a user or device does not wait for it. */
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
 * Whether the run's base is there. A sandbox may start while a device still uploads files and repository: a workspace
 * filled before these are complete would leave the agent without a repository (W40).
 */
export class AwaitedBase {
  isThere: boolean

  /** `waits`: the workspace has nothing but what a device uploads. */
  constructor(waits: boolean) {
    this.isThere = !waits
  }

  take({ notification }: SeenEvent): void {
    const isAhead = isEvent(notification, 'git_commit') && notification.params?.kind === 'history'
    this.isThere ||= begins(notification) && !isAhead
  }
}
