import {
  type CatchUp,
  type NewSchedule,
  type Overlap,
  type Schedule,
  scheduleLimits,
  Timing,
} from '@farhand/protocol/schemas/schedules'
import { ProjectId } from '@farhand/protocol/wire/ids'

export type Repeats = 'daily' | 'workdays' | 'weekly' | 'hours' | 'once' | 'cron'

/** The values of the form, as typed. */
export type ScheduleForm = {
  name: string
  prompt: string
  project: string
  agent: string
  cloneUrl: string
  cloneRef: string
  setup: string
  repeats: Repeats
  /** Hours and minutes, such as 09:00. */
  time: string
  weekday: string
  hours: string
  /** A local date and time. */
  at: string
  cron: string
  zone: string
  catchUp: CatchUp
  overlap: Overlap
  pauseAfter: string
  maxRuns: string
  /** The last day; '' for none. */
  until: string
  callbackUrl: string
}

export const emptyScheduleForm = (zone: string): ScheduleForm => ({
  name: '',
  prompt: '',
  project: '',
  agent: '',
  cloneUrl: '',
  cloneRef: '',
  setup: '',
  repeats: 'workdays',
  time: '09:00',
  weekday: '1',
  hours: '2',
  at: '',
  cron: '0 9 * * 1-5',
  zone,
  catchUp: 'latest',
  overlap: 'skip',
  pauseAfter: '5',
  maxRuns: '',
  until: '',
  callbackUrl: '',
})

/** A field of the form, or `form` if no single field is wrong. */
export type ScheduleField = keyof ScheduleForm | 'form'
export type ScheduleTroubles = Partial<Record<ScheduleField, string>>

/** What to ask the hub for, or the problems by field. `before`: the schedule that is changed; what the form does not show stays. */
export function planSchedule(
  form: ScheduleForm,
  before: Schedule | null,
): { plan: NewSchedule } | { troubles: ScheduleTroubles } {
  const troubles: ScheduleTroubles = {}
  const prompt = form.prompt.trim()
  if (prompt === '') troubles.prompt = 'Say what is to be done.'
  if (prompt.length > scheduleLimits.promptCharacters)
    troubles.prompt = `At most ${scheduleLimits.promptCharacters.toLocaleString('en')} characters.`
  if (form.agent === '') troubles.agent = 'Choose an agent.'
  const project = ProjectId.safeParse(before?.project ?? form.project)
  if (!project.success) troubles.project = 'Choose a project.'
  const timing = timingOf(form, troubles)
  const pauseAfter = wholeNumber(form.pauseAfter, 100)
  if (pauseAfter === null) troubles.pauseAfter = 'A whole number from 1 to 100.'
  const maxRuns = form.maxRuns.trim() === '' ? undefined : wholeNumber(form.maxRuns, 1_000_000)
  if (maxRuns === null) troubles.maxRuns = 'A whole number from 1 up.'
  const url = form.cloneUrl.trim()
  if (url !== '' && !/^https?:\/\/./.test(url))
    troubles.cloneUrl = 'An address that begins with https:// or http://.'
  const callbackUrl = form.callbackUrl.trim()
  if (callbackUrl !== '' && !/^https?:\/\/./.test(callbackUrl))
    troubles.callbackUrl = 'An address that begins with https:// or http://.'
  if (Object.keys(troubles).length > 0 || !project.success || !timing || pauseAfter === null)
    return { troubles }
  const { clone: _, setup: __, ...terms } = before?.run.terms ?? {}
  const [ref, setup] = [form.cloneRef.trim(), form.setup.trim()]
  return {
    plan: {
      project: project.data,
      name: form.name.trim() === '' ? firstLine(prompt) : form.name.trim(),
      timing,
      run: {
        ...before?.run,
        prompt,
        agent: form.agent,
        terms: {
          ...terms,
          ...(setup !== '' && { setup }),
          ...(url !== '' && { clone: { url, ...(ref !== '' && { ref }) } }),
        },
      },
      catchUp: form.catchUp,
      overlap: form.overlap,
      pauseAfter,
      maxRuns: maxRuns ?? null,
      until: form.until === '' ? null : new Date(`${form.until}T23:59:59`).toISOString(),
      callback:
        callbackUrl === ''
          ? null
          : { url: callbackUrl, ...(before?.callback && { events: before.callback.events }) },
    },
  }
}

function timingOf(form: ScheduleForm, troubles: ScheduleTroubles): Timing | null {
  const { repeats, time, weekday, hours, at, zone } = form
  const [, hour, minute] = (/^(\d\d):(\d\d)/.exec(time) ?? []).map(Number)
  if (hour === undefined && ['daily', 'workdays', 'weekly'].includes(repeats)) {
    troubles.time = 'Choose a time.'
    return null
  }
  const days = { daily: '*', workdays: '1-5', weekly: weekday }
  const asked =
    repeats === 'once'
      ? { kind: 'once', at, zone }
      : repeats === 'hours'
        ? { kind: 'every', seconds: Math.round(Number(hours) * 3600) }
        : repeats === 'cron'
          ? { kind: 'cron', cron: form.cron.trim().replace(/\s+/g, ' '), zone }
          : { kind: 'cron', cron: `${minute} ${hour} * * ${days[repeats]}`, zone }
  const read = Timing.safeParse(asked)
  if (read.success) return read.data
  if (read.error.issues[0]?.path[0] === 'zone') troubles.zone = 'A name such as Europe/Berlin or UTC.'
  else if (repeats === 'once') troubles.at = 'Choose a day and a time.'
  else if (repeats === 'hours') troubles.hours = 'Hours: a minute (0.02) at least.'
  else troubles.cron = 'Five fields: minute, hour, day, month, day of the week.'
  return null
}

/** The form for a schedule that there is. */
export function formOfSchedule(schedule: Schedule, zone: string): ScheduleForm {
  const { timing, run, until, maxRuns, callback } = schedule
  return {
    ...emptyScheduleForm(timing.kind === 'every' ? zone : timing.zone),
    ...timingFields(timing),
    name: schedule.name,
    prompt: run.prompt,
    project: schedule.project,
    agent: run.agent ?? '',
    cloneUrl: run.terms?.clone?.url ?? '',
    cloneRef: run.terms?.clone?.ref ?? '',
    setup: run.terms?.setup ?? '',
    catchUp: schedule.catchUp,
    overlap: schedule.overlap,
    pauseAfter: String(schedule.pauseAfter),
    maxRuns: maxRuns === null ? '' : String(maxRuns),
    until: until === null ? '' : localDay(until),
    callbackUrl: callback?.url ?? '',
  }
}

function timingFields(timing: Timing): Partial<ScheduleForm> {
  if (timing.kind === 'once') return { repeats: 'once', at: timing.at }
  if (timing.kind === 'every') return { repeats: 'hours', hours: String(timing.seconds / 3600) }
  const { cron } = timing
  const [, minute, hour, weekday] = /^(\d{1,2}) (\d{1,2}) \* \* (\*|1-5|[0-6])$/.exec(cron) ?? []
  if (minute === undefined || hour === undefined) return { repeats: 'cron', cron }
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (weekday === '*') return { repeats: 'daily', time, cron }
  if (weekday === '1-5') return { repeats: 'workdays', time, cron }
  return { repeats: 'weekly', time, cron, weekday: weekday! }
}

function localDay(at: string): string {
  const day = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

function wholeNumber(text: string, most: number): number | null {
  const value = /^\d{1,7}$/.test(text.trim()) ? Number(text) : 0
  return value >= 1 && value <= most ? value : null
}

function firstLine(prompt: string): string {
  const line = prompt.split('\n', 1)[0]!.trim()
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

const fields: Readonly<Record<string, ScheduleField>> = {
  name: 'name',
  project: 'project',
  'timing.at': 'at',
  'timing.zone': 'zone',
  'timing.seconds': 'hours',
  'timing.cron': 'cron',
  'run.prompt': 'prompt',
  'run.agent': 'agent',
  'terms.clone': 'cloneUrl',
  'run.terms.clone': 'cloneUrl',
  'run.terms.setup': 'setup',
  until: 'until',
  callback: 'callbackUrl',
}

/** The field beside which to show an error of the hub. */
export function fieldOfRefused(field: string | undefined): ScheduleField {
  const named = Object.keys(fields).find((name) => field === name || field?.startsWith(`${name}.`))
  return named === undefined ? 'form' : fields[named]!
}
