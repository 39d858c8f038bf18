const badEnds: ReadonlySet<string> = new Set([
  'failed',
  'interrupted',
  'limit',
  'refusal',
  'max_tokens',
  'max_turn_requests',
])

/** Whether a turn that ended so has not done what was asked for, and nobody wanted that. */
export const isBadEnd = (stopReason: string | null | undefined) => badEnds.has(stopReason ?? '')
