import { agoInWords } from '../time/time-in-words.ts'

/**
 * When a device was last seen. The hub knows it only to some minutes, so a current device reads the same as one
 * used just before.
 */
export function lastSeenInWords(lastSeenAt: string, nowMs: number): string {
  const ms = nowMs - Date.parse(lastSeenAt)
  if (ms < 6 * 60_000) return 'here a moment ago'
  const ago = agoInWords(lastSeenAt, nowMs)
  return ago.startsWith('20') && ago.includes('-') ? `last seen on ${ago}` : `last seen ${ago} ago`
}
