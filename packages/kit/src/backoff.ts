export type Backoff = { firstMs: number; maxMs: number }

/** How long to wait after the given number of failures in a row: doubled each time, and never less than half. */
export function backoffMs(failures: number, { firstMs, maxMs }: Backoff, random = Math.random): number {
  const most = Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1))
  // Without the random part, all clients that lost the same hub would reconnect in the same millisecond.
  return most * (0.5 + 0.5 * random())
}
