import { sleep } from '@farhand/kit/sleep'
import type { ScheduleNotification } from '@farhand/protocol/schemas/push'
import type { ScheduleCallback } from '@farhand/protocol/schemas/schedules'
import type { OccurrenceId, ScheduleId, UserId } from '@farhand/protocol/wire/ids'
import {
  alarmsToSend,
  callbacksToCall,
  noteAlarmSent,
  notePushed,
  type PushedAlarm,
} from '../store/schedules/pending-alarms.ts'
import { type StoredSchedule, scheduleById } from '../store/schedules/schedules.ts'
import type { Db } from '../store/tables.ts'
import { withEvents } from './start-run.ts'

export type AlarmParts = {
  db: Db
  /** Notifies the browsers of a user. */
  tell: (user: UserId, telling: ScheduleNotification) => Promise<void>
  /** Posts to the callback of a schedule, once; the status of the answer, or null if a retry is useless. */
  post: (
    callback: ScheduleCallback,
    call: { id: string; about: Record<string, unknown> },
    signal: AbortSignal,
  ) => Promise<{ status: number } | null>
  onError: (error: unknown) => void
  /** How long to wait before each further try of a callback; it is given up after the last. */
  pausesMs: readonly number[]
}

const pushesAtOnce = 100
/** A callback may take hours with its retries: those of one user must not hold up those of another. */
const callsPerOwner = 4

/** Notifies users that a schedule could not start a run, or was paused after failures. What a killed hub had not done, the next one does. */
export class Alarms {
  readonly #parts: AlarmParts
  readonly #owners = new Map<OccurrenceId, UserId>()
  readonly #calls = new Set<Promise<void>>()
  /** Pushed, although the store could not note it yet. */
  readonly #pushed = new Set<OccurrenceId>()
  readonly #stopped = new AbortController()
  #looking = Promise.resolve()
  #isQueued = false

  constructor(parts: AlarmParts) {
    this.#parts = parts
  }

  /** Must be called when there may be a new alarm. */
  look(): void {
    if (this.#isQueued || this.#stopped.signal.aborted) return
    this.#isQueued = true
    this.#looking = this.#looking.then(() => this.#lookOnce()).catch(this.#parts.onError)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#looking
    await Promise.allSettled(this.#calls)
  }

  async #lookOnce(): Promise<void> {
    this.#isQueued = false
    await this.#pushAll()
    if (this.#stopped.signal.aborted) return
    for (const of of await callbacksToCall(this.#parts.db, this.#owners, callsPerOwner)) this.#begin(of)
  }

  async #pushAll(): Promise<void> {
    const { db } = this.#parts
    for (let isMore = true; isMore; ) {
      const page = await alarmsToSend(db, pushesAtOnce)
      for (const { id, schedule, alarm } of page) {
        if (this.#stopped.signal.aborted) return
        if (!this.#pushed.has(id)) await this.#push(schedule, alarm)
        this.#pushed.add(id)
        await notePushed(db, id, alarm)
        this.#pushed.delete(id)
      }
      isMore = page.length === pushesAtOnce
    }
  }

  async #push(of: ScheduleId, alarm: 'missed' | 'paused'): Promise<void> {
    const { db, tell, onError } = this.#parts
    const schedule = await scheduleById(db, of)
    if (!schedule || schedule.isRemoved) return
    const { id, owner, name: title, projectName } = schedule
    // Not awaited: the push service tries again by itself, for longer than a hub waits when it stops.
    tell(owner, { kind: `schedule-${alarm}`, schedule: id, title, projectName }).catch(onError)
  }

  #begin(of: PushedAlarm): void {
    this.#owners.set(of.id, of.owner)
    const call: Promise<void> = this.#call(of)
      .then(
        () => true,
        (error) => {
          this.#parts.onError(error)
          return false
        },
      )
      .then((isDone) => {
        this.#owners.delete(of.id)
        this.#calls.delete(call)
        // Its owner may have further ones.
        if (isDone) this.look()
      })
    this.#calls.add(call)
  }

  async #call(of: PushedAlarm): Promise<void> {
    const { db } = this.#parts
    const schedule = await scheduleById(db, of.schedule)
    if (schedule && !schedule.isRemoved) await this.#callBack(of, schedule)
    if (!this.#stopped.signal.aborted) await noteAlarmSent(db, of.id)
  }

  async #callBack(of: PushedAlarm, { callback, name }: StoredSchedule): Promise<void> {
    if (!callback || !withEvents(callback).events.includes('error')) return
    const { id, schedule, dueAt, state, reason, run, isPaused } = of
    const about = { event: 'error', schedule, name, occurrence: id, dueAt, state, reason, run, isPaused }
    const { pausesMs, post } = this.#parts
    const { signal } = this.#stopped
    for (const pauseMs of [...pausesMs, null]) {
      const answered = await post(callback, { id, about }, signal).catch(() => ({ status: 0 }))
      if (answered === null || (answered.status >= 200 && answered.status < 300) || answered.status === 410)
        return
      if (pauseMs === null || signal.aborted) return
      await sleep(pauseMs, { signal }).catch(() => {})
      if (signal.aborted) return
    }
  }
}
