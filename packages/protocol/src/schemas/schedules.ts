import { z } from 'zod'
import { OccurrenceId, ProjectId, RunId, ScheduleId, TaskId } from '../wire/ids.ts'
import { CallbackEvent, NewRun, pageOf } from './api.ts'

/** What schedules of one user may take of a hub (W99). */
export const scheduleLimits = {
  perUser: 100,
  /** Occurrences of one schedule that may wait to be started. */
  waiting: 20,
  /** Runs of one schedule that may be at work at the same time. */
  running: 20,
  /** How many missed due times get a run of their own (W92). */
  caughtUp: 10,
  /** A larger number of due times is given as this one. */
  counted: 100,
  promptCharacters: 20_000,
} as const

/** The name of a time zone, as in IANA's list; the hub checks that it knows it. */
const Zone = z.string().regex(/^[A-Za-z][\w+/-]{0,63}$/, 'expected a time zone like Europe/Berlin or UTC')

/** A time with a date and an offset from UTC. */
const Instant = z.iso.datetime({ offset: true }).max(40)

/** Schedules are due before this time: the text of years with more digits would come before that of today. */
export const endOfSchedules = Date.parse('2200-01-01T00:00:00Z')
const isBeforeEnd = (at: string): boolean => Date.parse(at) < endOfSchedules
export const tooLate = 'expected a time before the year 2200'

/** When a schedule is due (W91). */
export const Timing = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('once'),
    /** Local time in `zone`. */
    at: z.iso.datetime({ local: true, precision: -1 }),
    zone: Zone,
  }),
  z.object({
    kind: z.literal('every'),
    seconds: z.number().int().min(60, 'expected 60 seconds or more').max(31_622_400),
    /** The first due time; without it one interval after the schedule was made or changed. */
    from: Instant.optional(),
  }),
  z.object({
    kind: z.literal('cron'),
    /** Minute, hour, day of the month, month, day of the week. */
    cron: z
      .string()
      .max(100)
      .regex(/^[\w*,/#-]+( [\w*,/#-]+){4}$/, 'expected five fields, such as "0 9 * * 1-5"'),
    zone: Zone,
  }),
])
export type Timing = z.infer<typeof Timing>

/** As users send it: what the hub stored earlier is still read. */
const AskedTiming = Timing.refine(
  (timing) => timing.kind !== 'every' || timing.from === undefined || isBeforeEnd(timing.from),
  { path: ['from'], error: tooLate },
)

/** What happens with due times at which no hub was running (W92). */
export const CatchUp = z.enum(['skip', 'latest', 'all'])
export type CatchUp = z.infer<typeof CatchUp>

/** What happens when a schedule is due while a run of it is at work (W93). */
export const Overlap = z.enum(['skip', 'queue', 'allow'])
export type Overlap = z.infer<typeof Overlap>

/** How the runs of a schedule are made; `mode` is `background` if it is left out. */
export const ScheduledRun = NewRun.omit({ fork: true }).extend({
  prompt: z.string().min(1).max(scheduleLimits.promptCharacters),
})
export type ScheduledRun = z.infer<typeof ScheduledRun>

const Name = z
  .string()
  .regex(/^[^\s\p{C}]([^\p{C}]{0,198}[^\s\p{C}])?$/u, 'expected one line of up to 200 visible characters')

export const ScheduleCallback = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2000),
  events: z.array(CallbackEvent).min(1).max(20).optional(),
  secret: z.string().min(1).max(500).optional(),
})
export type ScheduleCallback = z.infer<typeof ScheduleCallback>

const policies = {
  catchUp: CatchUp.optional(),
  overlap: Overlap.optional(),
  /** After so many failures in a row the schedule is paused. */
  pauseAfter: z.number().int().min(1).max(100).optional(),
  /** No due time after this one counts. */
  until: Instant.refine(isBeforeEnd, tooLate).nullable().optional(),
  maxRuns: z.number().int().min(1).max(1_000_000).nullable().optional(),
  callback: ScheduleCallback.nullable().optional(),
}

export const NewSchedule = z.object({
  project: ProjectId,
  name: Name,
  timing: AskedTiming,
  run: ScheduledRun,
  isPaused: z.boolean().optional(),
  ...policies,
})
export type NewSchedule = z.infer<typeof NewSchedule>

/** Fields that are left out stay as they are. */
export const ScheduleChange = z.object({
  name: Name.optional(),
  timing: AskedTiming.optional(),
  run: ScheduledRun.optional(),
  isPaused: z.boolean().optional(),
  ...policies,
})
export type ScheduleChange = z.infer<typeof ScheduleChange>

const Time = z.string()

/** `skipped`: no run was started, as the schedule's own policy says. `missed`: none was started, and the user is notified. */
export const OccurrenceState = z.enum([
  'due',
  'claimed',
  'started',
  'finished',
  'failed',
  'missed',
  'skipped',
])
export type OccurrenceState = z.infer<typeof OccurrenceState>

/** One line of the ledger of a schedule (W94). */
export const Occurrence = z.object({
  id: OccurrenceId,
  schedule: ScheduleId,
  dueAt: Time,
  /** The earliest due time that this occurrence stands for; `dueAt` is the latest. */
  firstDueAt: Time,
  /** How many due times it stands for. */
  standsFor: z.number().int().positive(),
  /** What made it due. */
  by: z.enum(['time', 'user']),
  state: OccurrenceState,
  /** Why it ended as it did, for people; null where the state says it all. */
  reason: z.string().nullable(),
  claimedAt: Time.nullable(),
  startedAt: Time.nullable(),
  endedAt: Time.nullable(),
  run: RunId.nullable(),
})
export type Occurrence = z.infer<typeof Occurrence>

export const Schedule = z.object({
  id: ScheduleId,
  project: ProjectId,
  projectName: z.string(),
  /** All its runs are runs of this task. */
  task: TaskId,
  name: z.string(),
  timing: Timing,
  run: ScheduledRun,
  catchUp: CatchUp,
  overlap: Overlap,
  pauseAfter: z.number().int(),
  until: Time.nullable(),
  maxRuns: z.number().int().nullable(),
  /** A secret is never in an answer. */
  callback: z.object({ url: z.string(), events: z.array(CallbackEvent), hasSecret: z.boolean() }).nullable(),
  status: z.enum(['active', 'paused', 'ended']),
  /** Why it is paused or has ended, for people; null while it is active. */
  reason: z.string().nullable(),
  /** How many runs it has started. */
  runs: z.number().int().nonnegative(),
  /** How many of its last occurrences have failed, one after the other. */
  failures: z.number().int().nonnegative(),
  /** The next due times, three at most; none while it is paused. */
  next: z.array(Time),
  last: Occurrence.nullable(),
  createdAt: Time,
  updatedAt: Time,
})
export type Schedule = z.infer<typeof Schedule>

export const SchedulePage = pageOf(Schedule)
export const OccurrencePage = pageOf(Occurrence)
