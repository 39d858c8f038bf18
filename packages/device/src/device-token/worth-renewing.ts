import { renewWithinDays } from '@farhand/protocol/schemas/accounts'

const dayMs = 24 * 3600_000

/** Whether a token with this end is to be renewed now. */
export function isWorthRenewing(expiresAt: string, nowMs: number): boolean {
  const endMs = Date.parse(expiresAt)
  // What cannot be read came from a hub that says it in another way: asking for the next one says it anew.
  return Number.isNaN(endMs) || endMs - nowMs < renewWithinDays * dayMs
}
