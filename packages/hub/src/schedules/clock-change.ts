/** Set back by less than this, a clock was corrected; by more, it had been wrong. */
const wrongMs = 24 * 3600_000

/**
 * Whether due times must be counted from now again, because the ledger has due times that are far in the future: it was written
 * while the clock was wrong, and the schedule would be silent until then.
 */
export const wasClockWrong = (lastDueAt: number | null, now: number): boolean =>
  lastDueAt !== null && lastDueAt > now + wrongMs
