import type { FollowState } from '@farhand/client/follow/follow'

/** How this page and the hub stand, as far as this page can know. */
export type Connection =
  | { is: 'connecting' }
  /** `toGo`: how many events are still to come, where that is known. */
  | { is: 'catching-up'; toGo: number | null }
  | { is: 'live' }
  | { is: 'offline' }
  /** `at`: when the next try begins, as epoch ms. */
  | { is: 'retrying'; at: number }
  /** The run is closed and all of it is here. */
  | { is: 'ended' }
  /** The hub answers, and the answer is no. */
  | { is: 'refused'; why: 'signed-out' | 'unknown' | 'other'; message: string }

/**
 * What the state of a follower means for people. A hub on this same machine is tried although the browser has no network;
 * as long as it does not answer, having none is all there is to say.
 */
export function connectionOf(
  state: FollowState,
  isOnline = globalThis.navigator?.onLine !== false,
): Connection {
  if (!isOnline && (state.is === 'connecting' || state.is === 'retrying')) return { is: 'offline' }
  if (state.is === 'retrying') return { is: 'retrying', at: state.at }
  return state.is === 'catching-up' ? { is: 'catching-up', toGo: null } : { is: state.is }
}

/** In a few words, true at this moment. */
export function connectionInWords(connection: Connection, nowMs: number): string {
  switch (connection.is) {
    case 'connecting':
      return 'Connecting'
    case 'catching-up':
      return connection.toGo === null ? 'Catching up' : `Catching up ${eventsInWords(connection.toGo)}`
    case 'live':
      return 'Connected'
    case 'offline':
      return 'Offline'
    case 'retrying': {
      const seconds = Math.ceil((connection.at - nowMs) / 1000)
      return seconds > 0 ? `Reconnecting in ${seconds} s` : 'Reconnecting'
    }
    case 'ended':
      return 'Closed'
    case 'refused':
      return refusals[connection.why] ?? connection.message
  }
}

const refusals: Partial<Record<string, string>> = {
  'signed-out': 'Signed out',
  unknown: 'There is no such run',
}

const eventsInWords = (count: number) => (count === 1 ? '1 event' : `${count.toLocaleString('en')} events`)
