import type { RequestState } from '@farhand/protocol/schemas/requests'

/** The states that may follow each state (W104). */
const following: Record<RequestState, readonly RequestState[]> = {
  // It is settled before it is canceled: only then it is known what to take back from its log.
  routed: ['queued', 'sent', 'working', 'failed'],
  offered: ['routed', 'expired', 'canceled'],
  queued: ['sent', 'expired', 'canceled'],
  sent: ['working', 'done', 'failed', 'expired', 'canceled'],
  working: ['done', 'failed', 'canceled'],
  done: [],
  failed: [],
  expired: [],
  canceled: [],
}

export const mayFollow = (from: RequestState, to: RequestState): boolean => following[from].includes(to)

export const isFinal = (state: RequestState): boolean => following[state].length === 0

export const finalStates = (Object.keys(following) as RequestState[]).filter(isFinal)

/** States in which a device may still begin with the request. */
export const isForDevice = (state: RequestState): boolean => state === 'sent' || state === 'working'
