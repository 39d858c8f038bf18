import { sql } from 'kysely'

const dayMs = 24 * 3600_000
const notifiedDays = 90

/** SQL condition for valid rows of `tokens`: not revoked, and not expired. */
export const isGoodToken = (now: Date) =>
  sql<boolean>`(tokens.revoked_at is null and (tokens.expires_at is null or tokens.expires_at > ${now.toISOString()}))`

/**
 * SQL condition for rows of `tokens` whose browser is notified. An expired session still is, and one of a device while that is bound: its user is told that a run waits, and
 * signs in to see it. Only signing out, or not using the browser for long, ends that.
 */
export const getsNotifications = (now: Date) => {
  const since = new Date(now.getTime() - notifiedDays * dayMs).toISOString()
  const isDeviceBound = sql`exists (select 1 from acp_devices where acp_devices.id = tokens.device_id and acp_devices.is_active = 1)`
  return sql<boolean>`(tokens.revoked_at is null and (
    (tokens.kind = 'session' and tokens.last_used_at >= ${since}) or
    (tokens.kind = 'device' and ${isDeviceBound}) or
    (tokens.kind <> 'session' and ${isGoodToken(now)})))`
}
