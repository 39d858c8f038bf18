import { Ok } from '@farhand/protocol/schemas/api'
import {
  type NewSchedule,
  Occurrence,
  OccurrencePage,
  Schedule,
  type ScheduleChange,
  SchedulePage,
} from '@farhand/protocol/schemas/schedules'
import { randomName, type ScheduleId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { type CallOptions, call } from '../requests/call.ts'
import { type Hub, jsonRequest } from '../requests/hub.ts'
import type { CreateOptions, ListOptions } from './resources.ts'

/** Makes a schedule. Requests with the same key make one. */
export const createSchedule = (
  hub: Hub,
  schedule: NewSchedule,
  { key = randomName(), ...options }: CreateOptions = {},
): Promise<Schedule> =>
  call(hub, jsonRequest('POST', paths.schedules(), schedule, { 'idempotency-key': key }), Schedule, options)

/** One page of your schedules, newest first. */
export const listSchedules = (hub: Hub, { cursor, ...options }: ListOptions = {}) =>
  call(hub, { path: paths.schedules(), query: { cursor } }, SchedulePage, options)

export const findSchedule = (hub: Hub, schedule: ScheduleId, options?: CallOptions) =>
  call(hub, { path: paths.schedule(schedule) }, Schedule, options)

/** Changes, pauses or resumes a schedule. Calling it twice is the same as once. */
export const changeSchedule = (
  hub: Hub,
  schedule: ScheduleId,
  change: ScheduleChange,
  options?: CallOptions,
) => call(hub, jsonRequest('PATCH', paths.schedule(schedule), change), Schedule, options)

/** Deletes a schedule; its runs stay. If the answer is lost, the repeated request finds none. */
export async function deleteSchedule(hub: Hub, schedule: ScheduleId, options?: CallOptions): Promise<void> {
  await call(hub, { method: 'DELETE', path: paths.schedule(schedule) }, Ok, options)
}

/** Makes a schedule due now. Requests with the same key do it once. */
export const runScheduleNow = (
  hub: Hub,
  schedule: ScheduleId,
  { key = randomName(), ...options }: CreateOptions = {},
): Promise<Occurrence> => {
  const headers = { 'idempotency-key': key }
  return call(hub, { method: 'POST', path: paths.scheduleRunNow(schedule), headers }, Occurrence, options)
}

/** One page of the ledger of a schedule, newest first. */
export const listOccurrences = (hub: Hub, schedule: ScheduleId, { cursor, ...options }: ListOptions = {}) =>
  call(hub, { path: paths.occurrences(schedule), query: { cursor } }, OccurrencePage, options)
