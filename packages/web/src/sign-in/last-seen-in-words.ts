import { agoInWords } from '../time/time-in-words.ts'

/** When a device was seen last. The hub knows it to some minutes, so that whoever is here now is not told apart from just before. */
export function lastSeenInWords(lastSeenAt: string, nowMs: number): string {
  const ms = nowMs - Date.parse(lastSeenAt)
  if (ms < 6 * 60_000) return 'here a moment ago'
  const ago = agoInWords(lastSeenAt, nowMs)
  return ago.startsWith('20') && ago.includes('-') ? `last seen on ${ago}` : `last seen ${ago} ago`
}
