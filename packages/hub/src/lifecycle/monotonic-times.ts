/**
 * Converts time stamps of events to a monotonic clock. Stamps that were converted before keep their value. A new stamp is as old as
 * the machine's clock says, and never in the future, as that clock may have been changed.
 */
export function monotonicTimes(
  known: ReadonlyMap<string, number>,
  stamps: readonly (string | null | undefined)[],
  wallMs: number,
  monotonicMs: number,
): Map<string, number> {
  const said = stamps.filter((stamp) => typeof stamp === 'string')
  return new Map(
    said.map((stamp) => [stamp, known.get(stamp) ?? monotonicMs - Math.max(0, wallMs - Date.parse(stamp))]),
  )
}
