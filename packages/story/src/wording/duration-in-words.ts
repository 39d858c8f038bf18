/** A duration: `<0.1 s`, `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function durationInWords(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 0.05) return '<0.1 s'
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60]
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`
  return minutes % 60 === 0
    ? `${Math.floor(minutes / 60)} h`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The duration between two times of the log. */
export const durationBetween = (from: string, to: string) =>
  durationInWords(Date.parse(to) - Date.parse(from))
