const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** A time relative to now, in local time, at most 18 characters long. */
export function whenInWords(iso: string, now: Date): string {
  const time = new Date(iso)
  const minutes = Math.floor((now.getTime() - time.getTime()) / 60_000)
  if (minutes < 1 && minutes > -5) return 'just now'
  if (minutes >= 1 && minutes < 60) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`
  const ago = dayOf(now) - dayOf(time)
  if (ago === 0) return `today ${clock}`
  if (ago === 1) return `yesterday ${clock}`
  if (ago > 1 && ago < 7) return `${days[time.getDay()]} ${clock}`
  const date = `${time.getDate()} ${months[time.getMonth()]}`
  return time.getFullYear() === now.getFullYear() ? `${date} ${clock}` : `${date} ${time.getFullYear()}`
}

const two = (n: number) => String(n).padStart(2, '0')

/** Calendar days, independent of clock changes. */
const dayOf = (time: Date) => Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) / 86_400_000
