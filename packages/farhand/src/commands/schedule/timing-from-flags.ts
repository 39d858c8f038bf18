import { Trouble } from '@farhand/device/trouble/trouble'
import { Timing } from '@farhand/protocol/schemas/schedules'

export type TimingFlags = Readonly<Partial<Record<'at' | 'every' | 'cron' | 'zone', unknown>>>

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** When a schedule is due, from the flags; throws Trouble for wrong values. `here` is the time zone of this machine. */
export function timingFromFlags(flags: TimingFlags, here: string): Timing {
  const { at, every, cron, zone = here } = flags
  const given = [at, every, cron].filter((one) => one !== undefined)
  if (given.length !== 1)
    throw wrong(
      given.length === 0 ? 'When is it due?' : 'A schedule is due in one way only.',
      'Give one of these: --at 2026-01-31T09:00, --every 2h, --cron "0 9 * * 1-5"',
    )
  const timing =
    every !== undefined
      ? { kind: 'every', seconds: secondsIn(String(every)) }
      : at !== undefined
        ? { kind: 'once', at: String(at).trim().replace(' ', 'T'), zone: String(zone) }
        : { kind: 'cron', cron: String(cron).trim().replace(/\s+/g, ' '), zone: String(zone) }
  const read = Timing.safeParse(timing)
  if (read.success) return read.data
  const field = String(read.error.issues[0]?.path[0] ?? '')
  if (field === 'zone')
    throw wrong(`--zone is ${JSON.stringify(zone)}.`, 'It takes a name such as Europe/Berlin or UTC.')
  if (at !== undefined)
    throw wrong(`--at is ${JSON.stringify(at)}.`, 'It takes a local time such as 2026-01-31T09:00.')
  if (every !== undefined)
    throw wrong(`--every is ${JSON.stringify(every)}.`, 'It takes a time from 1m to 366d, such as 30m or 2h.')
  throw wrong(
    `--cron is ${JSON.stringify(cron)}.`,
    'It takes five fields: minute, hour, day, month, day of the week: "0 9 * * 1-5"',
  )
}

function secondsIn(said: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([smhd])$/i.exec(said.trim()) ?? []
  return Math.round(Number(amount) * (unitSeconds[unit?.toLowerCase() ?? ''] ?? Number.NaN))
}

/** A moment that the user typed without a zone means the clock of this machine. */
export function untilFrom(said: unknown): string {
  const at = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/.test(String(said))
    ? new Date(String(said).length === 10 ? `${said}T23:59:59` : String(said).replace(' ', 'T'))
    : null
  if (at && Number.isFinite(at.getTime())) return at.toISOString()
  throw wrong(
    `--until is ${JSON.stringify(said)}.`,
    'It takes a day, or a time: 2026-12-31, 2026-12-31T18:00.',
  )
}

const wrong = (message: string, nextStep: string) => new Trouble('usage', message, nextStep)
