const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** How long something takes so far: `12 s`, `3 min`, `2 h 5 min`. Clocks that disagree make no negative times. */
export function elapsedInWords(sinceIso: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(sinceIso))
  if (ms < minute) return `${Math.floor(ms / second)} s`
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  if (ms < day) return withRest(Math.floor(ms / hour), 'h', Math.floor((ms % hour) / minute), 'min')
  return withRest(Math.floor(ms / day), 'd', Math.floor((ms % day) / hour), 'h')
}

const withRest = (whole: number, unit: string, rest: number, of: string) =>
  rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${of}`

/** How long ago something was, as short as a list needs it: `now`, `5 min`, `3 h`, `2 d`, then its date. */
export function agoInWords(iso: string, nowMs: number): string {
  const ms = nowMs - Date.parse(iso)
  if (ms < minute) return 'now'
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  if (ms < day) return `${Math.floor(ms / hour)} h`
  if (ms < 7 * day) return `${Math.floor(ms / day)} d`
  return iso.slice(0, 10)
}

/** After how many ms what was said of this time may read otherwise: so often, and not more, a clock has to tick. */
export function wordsHoldMs(iso: string, nowMs: number, isElapsed: boolean): number {
  const ms = nowMs - Date.parse(iso)
  if (ms < minute) return isElapsed ? second : minute - Math.max(0, ms)
  return ms < day ? minute : hour
}
