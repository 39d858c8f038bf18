import type { Session } from '@farhand/protocol/schemas/sessions'

const hourMs = 3600_000

/** After how long without use a session ends; null if the hub does not say. */
export function idleInWords({
  lastSeenAt,
  expiresAt,
}: Pick<Session, 'lastSeenAt' | 'expiresAt'>): string | null {
  if (!lastSeenAt || !expiresAt) return null
  const hours = Math.round((Date.parse(expiresAt) - Date.parse(lastSeenAt)) / hourMs)
  if (!(hours >= 1)) return null
  if (hours > 48) return `${Math.round(hours / 24)} days`
  return hours === 1 ? 'an hour' : `${hours} hours`
}
