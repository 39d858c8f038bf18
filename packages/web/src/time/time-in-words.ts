const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** The time since: `12 s`, `3 min`, `2 h 5 min`. Never negative, even if clocks disagree. */
export function elapsedInWords(sinceIso: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(sinceIso))
  if (ms < minute) return `${Math.floor(ms / second)} s`
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  if (ms < day) return withRest(Math.floor(ms / hour), 'h', Math.floor((ms % hour) / minute), 'min')
  return withRest(Math.floor(ms / day), 'd', Math.floor((ms % day) / hour), 'h')
}

const withRest = (whole: number, unit: string, rest: number, of: string) =>
  rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${of}`

/** After how many ms the words for this time may change. */
export function wordsHoldMs(iso: string, nowMs: number, isElapsed: boolean): number {
  const ms = nowMs - Date.parse(iso)
  if (ms < minute) return isElapsed ? second : minute - Math.max(0, ms)
  return ms < day ? minute : hour
}
