import type { FollowState } from '@farhand/client/follow/follow'
import { Refusal } from '@farhand/client/requests/refusal'

/** The connection between this page and the hub. */
export type Connection =
  | { is: 'connecting' }
  /** `toGo`: how many events are still to come, if known. */
  | { is: 'catching-up'; toGo: number | null }
  | { is: 'live' }
  | { is: 'offline' }
  /** `at`: when the next try starts, as epoch ms. */
  | { is: 'retrying'; at: number }
  /** The run is closed, and the page has its whole log. */
  | { is: 'ended' }
  /** The hub answered and refused. */
  | { is: 'refused'; why: 'signed-out' | 'unknown' | 'other'; message: string }

/**
 * The connection for the state of a follower. The browser may be offline while a hub on the same machine still
 * answers; if that hub does not answer either, the connection is `offline`.
 */
export function connectionOf(
  state: FollowState,
  isOnline = globalThis.navigator?.onLine !== false,
): Connection {
  if (!isOnline && (state.is === 'connecting' || state.is === 'retrying')) return { is: 'offline' }
  if (state.is === 'retrying') return { is: 'retrying', at: state.at }
  return state.is === 'catching-up' ? { is: 'catching-up', toGo: null } : { is: state.is }
}

/** A few words for the user, true at `nowMs`. */
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

const refusals: Partial<Record<string, string>> = { 'signed-out': 'Signed out', unknown: 'Run not found' }

const eventsInWords = (count: number) => (count === 1 ? '1 event' : `${count.toLocaleString('en')} events`)

/** The connection after an error that retrying does not fix. */
export function connectionOfError(error: unknown): Connection {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof Refusal)) return { is: 'refused', why: 'other', message }
  if (error.remedy === 'sign-in') return { is: 'refused', why: 'signed-out', message }
  return { is: 'refused', why: error.status === 404 ? 'unknown' : 'other', message }
}
