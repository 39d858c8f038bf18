import { sessionDays } from '@farhand/protocol/schemas/sessions'
import { sql } from 'kysely'

const dayMs = 24 * 3600_000

/** Which rows of `tokens` open the door: those that nobody took away, and of browsers only those that are used now and then. */
export const isGoodToken = (now: Date) => {
  const since = new Date(now.getTime() - sessionDays * dayMs).toISOString()
  return sql<boolean>`(tokens.revoked_at is null and (tokens.kind <> 'session' or tokens.last_used_at >= ${since}))`
}
