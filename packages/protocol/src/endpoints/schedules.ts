import { z } from 'zod'
import { Ok } from '../schemas/api.ts'
import {
  NewSchedule,
  Occurrence,
  OccurrencePage,
  Schedule,
  ScheduleChange,
  SchedulePage,
} from '../schemas/schedules.ts'
import type { ScheduleId } from '../wire/ids.ts'
import { paths } from '../wire/routes.ts'
import { type Endpoint, json } from './endpoint.ts'
import { IdempotencyHeader } from './headers.ts'

const Page = z.object({ cursor: z.string().optional().describe('The `next` of the page before.') })
const id = '{schedule}' as ScheduleId

const refused = [
  'project.unknown',
  'role.refused',
  'secret.unknown',
  'secret.locked',
  'terms.refused',
  'request.too-large',
  'request.unsupported-type',
] as const

/** Runs that the hub starts by itself (W90). */
export const schedules = {
  getSchedules: {
    method: 'GET',
    path: paths.schedules(),
    summary: 'List your schedules, newest first (W90)',
    who: 'user',
    query: Page,
    answers: { 200: { says: '50 a page', bodies: json(SchedulePage) } },
  },
  postSchedule: {
    method: 'POST',
    path: paths.schedules(),
    summary: 'Make a schedule (W90)',
    who: 'user',
    headers: IdempotencyHeader,
    body: json(NewSchedule),
    answers: { 201: { says: 'Made; `next` says when it is due', bodies: json(Schedule) } },
    faults: ['key.reused', 'schedule.too-many', ...refused],
  },
  getSchedule: {
    method: 'GET',
    path: paths.schedule(id),
    summary: 'One schedule (W90)',
    who: 'user',
    answers: { 200: { says: 'As it is now', bodies: json(Schedule) } },
    faults: ['schedule.unknown'],
  },
  patchSchedule: {
    method: 'PATCH',
    path: paths.schedule(id),
    summary: 'Change, pause or resume a schedule (W96)',
    who: 'user',
    body: json(ScheduleChange),
    answers: { 200: { says: 'Changed', bodies: json(Schedule) } },
    faults: ['schedule.unknown', ...refused],
  },
  deleteSchedule: {
    method: 'DELETE',
    path: paths.schedule(id),
    summary: 'Delete a schedule; its runs stay (W96)',
    who: 'user',
    answers: { 200: { says: 'Deleted', bodies: json(Ok) } },
    faults: ['schedule.unknown'],
  },
  postScheduleRunNow: {
    method: 'POST',
    path: paths.scheduleRunNow(id),
    summary: 'Make a schedule due now, also while it is paused (W96)',
    who: 'user',
    headers: IdempotencyHeader,
    answers: {
      201: { says: 'The occurrence; the ledger says what becomes of it', bodies: json(Occurrence) },
    },
    faults: ['schedule.unknown', 'schedule.too-many', 'key.reused'],
  },
  getOccurrences: {
    method: 'GET',
    path: paths.occurrences(id),
    summary: 'The ledger of a schedule, newest first (W94)',
    who: 'user',
    query: Page,
    answers: { 200: { says: '50 a page', bodies: json(OccurrencePage) } },
    faults: ['schedule.unknown'],
  },
} as const satisfies Record<string, Endpoint>
