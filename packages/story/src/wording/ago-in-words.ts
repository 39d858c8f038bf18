const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long ago, in short: `now`, `5 min`, `3 h`, `2 d`, then the date. `now` also if the clocks disagree. */
export function agoInWords(iso: string, nowMs: number): string {
  const ms = nowMs - Date.parse(iso)
  if (ms < minute) return 'now'
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  if (ms < day) return `${Math.floor(ms / hour)} h`
  if (ms < 7 * day) return `${Math.floor(ms / day)} d`
  return iso.slice(0, 10)
}
