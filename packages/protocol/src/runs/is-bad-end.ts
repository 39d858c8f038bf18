const badEnds: ReadonlySet<string> = new Set([
  'failed',
  'interrupted',
  'limit',
  'refusal',
  'max_tokens',
  'max_turn_requests',
])

/** Whether a turn with this stop reason failed to do what the user asked, without the user having cancelled it. */
export const isBadEnd = (stopReason: string | null | undefined) => badEnds.has(stopReason ?? '')
