import { sleep } from '@farhand/kit/sleep'
import type { ScheduleNotification } from '@farhand/protocol/schemas/push'
import type { Occurrence, ScheduleCallback } from '@farhand/protocol/schemas/schedules'
import type { OccurrenceId, UserId } from '@farhand/protocol/wire/ids'
import { alarmsToSend, noteAlarmSent } from '../store/schedules/occurrences.ts'
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

/** Notifies users that a schedule could not start a run, or was paused after failures. What a killed hub had not done, the next one does. */
export class Alarms {
  readonly #parts: AlarmParts
  readonly #underWay = new Map<OccurrenceId, Promise<void>>()
  readonly #stopped = new AbortController()

  constructor(parts: AlarmParts) {
    this.#parts = parts
  }

  /** Must be called when there may be a new alarm. */
  look(): void {
    this.#sendAll().catch(this.#parts.onError)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.allSettled(this.#underWay.values())
  }

  async #sendAll(): Promise<void> {
    for (const of of await alarmsToSend(this.#parts.db)) {
      if (this.#stopped.signal.aborted) return
      if (this.#underWay.has(of.id)) continue
      const sent = this.#send(of)
        .catch(this.#parts.onError)
        .finally(() => this.#underWay.delete(of.id))
      this.#underWay.set(of.id, sent)
    }
  }

  async #send(of: Occurrence & { alarm: 'missed' | 'paused' }): Promise<void> {
    const { db, tell, onError } = this.#parts
    const schedule = await scheduleById(db, of.schedule)
    if (schedule && !schedule.isRemoved) {
      const { id, owner, name: title, projectName } = schedule
      const kind = `schedule-${of.alarm}` as const
      // Not awaited: the push service tries again by itself, for longer than a hub waits when it stops.
      tell(owner, { kind, schedule: id, title, projectName }).catch(onError)
      await this.#callBack(of, schedule)
    }
    if (!this.#stopped.signal.aborted) await noteAlarmSent(db, of.id)
  }

  async #callBack(of: Occurrence & { alarm: string }, { callback, name }: StoredSchedule): Promise<void> {
    if (!callback || !withEvents(callback).events.includes('error')) return
    const { id, schedule, dueAt, state, reason, run } = of
    const isPaused = of.alarm === 'paused'
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
