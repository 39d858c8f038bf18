import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import type { HubRequest } from '../requests/hub.ts'

export type FollowRequest = {
  /** The last event that was read; null: begin with the next one. */
  read: number | null
  start?: 'latest' | undefined
  to?: 'agent' | undefined
  envelope?: 'stored' | undefined
  contents?: 'along' | undefined
  presence?: '1' | undefined
}

/** The request that follows a run. */
export const followRequest = (at: RunAddress, { read, ...query }: FollowRequest): HubRequest => ({
  path: paths.sync(at),
  // This client understands a file event of several paths in one message (W60).
  query: { ...query, files: 'together' },
  headers: {
    accept: 'text/event-stream',
    'session-id': at.run,
    ...(read !== null && { 'last-event-id': String(read) }),
  },
})
