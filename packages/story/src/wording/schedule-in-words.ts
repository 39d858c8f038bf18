import {
  type CatchUp,
  type Occurrence,
  type OccurrenceState,
  type Overlap,
  scheduleLimits,
  type Timing,
} from '@farhand/protocol/schemas/schedules'

/** When a schedule is due, in a few words. */
export function timingInWords(timing: Timing): string {
  switch (timing.kind) {
    case 'once':
      return `once, ${timing.at.replace('T', ' ')} (${timing.zone})`
    case 'every':
      return `every ${secondsInWords(timing.seconds)}`
    case 'cron':
      return `${cronInWords(timing.cron)} (${timing.zone})`
  }
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

function secondsInWords(seconds: number): string {
  const [unit, length] = units.find(([, length]) => seconds % length === 0)!
  const count = seconds / length
  return count === 1 ? unit : `${count} ${unit}s`
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** The usual expressions in words; any other one as it is. */
function cronInWords(cron: string): string {
  const [minute = '', hour = '', day, month, weekday = ''] = cron.split(' ')
  const isDaily = /^\d{1,2}$/.test(minute) && day === '*' && month === '*'
  if (isDaily && hour === '*') return weekday === '*' ? `every hour at minute ${Number(minute)}` : cron
  if (!isDaily || !/^\d{1,2}$/.test(hour)) return cron
  const at = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (weekday === '*') return `every day at ${at}`
  if (/^(1-5|mon-fri)$/i.test(weekday)) return `Monday to Friday at ${at}`
  return /^[0-7]$/.test(weekday) ? `every ${days[Number(weekday)]} at ${at}` : cron
}

/** What has become of an occurrence. */
export const occurrenceStates: Readonly<Record<OccurrenceState, string>> = {
  due: 'waits',
  claimed: 'is started',
  started: 'at work',
  finished: 'finished',
  failed: 'failed',
  missed: 'missed',
  skipped: 'skipped',
}

/** Why an occurrence ended as it did, and how many due times it stands for; '' if there is nothing to say. */
export function occurrenceDetails({
  reason,
  standsFor,
  by,
}: Pick<Occurrence, 'reason' | 'standsFor' | 'by'>): string {
  const said = [
    by === 'user' ? 'You started it.' : null,
    standsFor > 1
      ? `It stands for ${standsFor >= scheduleLimits.counted ? `${standsFor} or more` : standsFor} due times.`
      : null,
    reason,
  ]
  return said.filter((one) => one !== null).join(' ')
}

/** What comes of due times at which no hub was running. */
export const catchUpInWords: Readonly<Record<CatchUp, string>> = {
  latest: 'one run for all',
  skip: 'no run',
  all: 'a run for each, up to 10',
}

/** What comes of a due time while the run before is at work. */
export const overlapInWords: Readonly<Record<Overlap, string>> = {
  skip: 'is left out while the run before is at work',
  queue: 'waits while the run before is at work',
  allow: 'starts also while the run before is at work',
}

/** A due time in a time zone, the same for every reader. */
export function dueInWords(at: string, zone: string): string {
  const form = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
  return form.format(new Date(at)).replace(/, (?=\d\d:)/, ' ')
}

/** The zone in which the times of a schedule are shown: its own, else that of the reader. */
export const zoneOf = (timing: Timing, reader: string): string =>
  timing.kind === 'every' ? reader : timing.zone

/** The title of a run, with the schedule that started it. */
export function titleWithSchedule({
  title,
  schedule,
}: {
  title: string
  schedule?: { name: string } | null | undefined
}): string {
  if (!schedule) return title
  return `${title} (${schedule.name === title ? 'from a schedule' : `from schedule ${schedule.name}`})`
}
