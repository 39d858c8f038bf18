import { sessionDays } from '@farhand/protocol/schemas/sessions'
import { sql } from 'kysely'

const dayMs = 24 * 3600_000

/** SQL condition for valid rows of `tokens`: not revoked, and for browser sessions used within the last `sessionDays`. */
export const isGoodToken = (now: Date) => {
  const since = new Date(now.getTime() - sessionDays * dayMs).toISOString()
  return sql<boolean>`(tokens.revoked_at is null and (tokens.kind <> 'session' or tokens.last_used_at >= ${since}))`
}
