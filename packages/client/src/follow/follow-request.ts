import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import type { HubRequest } from '../requests/hub.ts'

export type FollowRequest = {
  /** The last event that was read; null: whatever comes next. */
  read: number | null
  start?: 'latest' | undefined
  to?: 'agent' | undefined
  envelope?: 'stored' | undefined
  contents?: 'along' | undefined
}

/** What whoever follows a run asks for. */
export const followRequest = (at: RunAddress, { read, ...query }: FollowRequest): HubRequest => ({
  path: paths.sync(at),
  // The form that readers of ours understand: a file event of several paths in one frame (W60).
  query: { ...query, files: 'together' },
  headers: {
    accept: 'text/event-stream',
    'session-id': at.run,
    ...(read !== null && { 'last-event-id': String(read) }),
  },
})
