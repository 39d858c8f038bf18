/** The time of day, and a clock that only goes forward and may stand still while the machine sleeps. */
export type Clocks = { wall: number; steady: number }

/**
 * For how long nothing could run between two looks that should have been this far apart: the machine slept, or the
 * process was stopped. Zero as long as that may have been a busy moment, or the clock was set back.
 */
export function sleptMs(before: Clocks, now: Clocks, apartMs: number, busyMs: number): number {
  // The steady clock may not count a sleep of the machine; both clocks count a stopped process.
  const passed = Math.max(now.wall - before.wall, now.steady - before.steady)
  const late = passed - apartMs
  return late > busyMs ? late : 0
}
