import type { MethodName } from '@farhand/protocol/methods'
import type { SeenEvent } from '@farhand/protocol/seen-event'

/** What says that everything is there, or that somebody does not wait for it. */
const begins = new Set<string>([
  '_posthog/git_commit',
  '_posthog/user_message',
  '_posthog/shell',
  '_posthog/file_request',
  '_posthog/rest_request',
  '_posthog/close',
  '_posthog/session_close',
] satisfies MethodName[])

/**
 * Whether a run has what it begins with. A sandbox may be there before the files and the repository that a device is still
 * bringing: whoever filled it before they are whole would leave the agent without a repository (W40).
 */
export class Beginning {
  isThere: boolean

  /** `waits` where nothing is in the workspace but what others bring. */
  constructor(waits: boolean) {
    this.isThere = !waits
  }

  take({ notification: { method, params } }: SeenEvent): void {
    const isAhead = method === '_posthog/git_commit' && params?.kind === 'history'
    this.isThere ||= begins.has(method) && !isAhead
  }
}
