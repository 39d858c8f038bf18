/**
 * When events of a log were, by a clock that nobody sets. What was looked at before stays where it was then; what is new was as long
 * ago as the machine's clock says, and never in the future: that clock was ahead, or is behind.
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
