import { inParallel } from '@farhand/kit/in-parallel'
import type { Occurrence } from '@farhand/protocol/schemas/schedules'
import { type RunId, randomName } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'
import {
  claim,
  countWorking,
  earliestClaim,
  endOccurrence,
  giveBack,
  type Lease,
  noteBegun,
  startedOccurrences,
  waitingOccurrences,
  writeLines,
} from '../store/schedules/occurrences.ts'
import {
  earliestDue,
  endBeyondYears,
  recountFrom,
  type StoredSchedule,
  scheduleById,
  schedulesAhead,
  schedulesDue,
} from '../store/schedules/schedules.ts'
import type { Db } from '../store/tables.ts'
import { accountFor } from './catch-up.ts'
import { wasClockWrong } from './clock-change.ts'
import { nextDue, unlessOver } from './due-times.ts'
import { overlapOf, startStep } from './may-start.ts'
import { outcomeOf } from './outcome.ts'

export type SchedulerParts = {
  db: Db
  log: Pick<EventLog, 'head' | 'onAnyGrowth'>
  /** The machine's clock, which may be changed. */
  now: () => number
  /** Why this schedule may not start a run now, for its user; null if it may. Throws if that is not known now. */
  refusal: (schedule: StoredSchedule) => Promise<string | null>
  /** Makes the run of a claimed occurrence, with its web hooks; null if the claim has ended, or the schedule is another one now. */
  makeRun: (schedule: StoredSchedule, of: Occurrence, claim: string) => Promise<RunId | null>
  /** Stores the first events of a run. It may be called again for the same run. */
  beginRun: (schedule: StoredSchedule, run: RunId) => Promise<void>
  /** Something is to be notified. */
  onAlarm: () => void
  onError: (error: unknown) => void
  leaseMs?: number
}

const usualLeaseMs = 15_000
/** Also how soon a change of the clock is noticed. */
const longestPauseMs = 60_000
const retryMs = 5_000
const gatherMs = 200
/** A round takes some queries: never one after the other without a pause. */
const leastPauseMs = 20
const schedulesPerRound = 100
const ownersAtOnce = 8
/** The schedules of one owner start no more in a round that has taken so long for them. */
const perOwnerMs = 3000

/**
 * Starts the runs of schedules, and follows them to their ends. All it knows is in the store and in the logs: each round asks what is
 * to be done, and each step is one change in the store that only one hub can make. So a round may end anywhere.
 */
export class Scheduler {
  readonly #parts: SchedulerParts
  readonly #leaseMs: number
  /** Runs whose logs may say that they have ended. */
  readonly #atWork = new Set<RunId>()
  readonly #grown = new Set<RunId>()
  #growthTimer: NodeJS.Timeout | undefined
  #mustSettle = true
  #unsubscribe = () => {}
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | null = null
  #again = false
  #mustEndBeyond = true
  /** The last of a full page of due schedules: the next round goes on behind it. */
  #accountedTo: StoredSchedule | null = null
  #hasLeftBehind = false
  #isStopped = true

  constructor(parts: SchedulerParts) {
    this.#parts = parts
    this.#leaseMs = parts.leaseMs ?? usualLeaseMs
  }

  start(): void {
    this.#isStopped = false
    this.#unsubscribe = this.#parts.log.onAnyGrowth((run) => {
      if (!this.#atWork.has(run)) return
      this.#grown.add(run)
      this.#growthTimer ??= setTimeout(() => void this.#lookAtGrown(), gatherMs).unref()
    })
    void this.look()
  }

  /** Must be called when a schedule was made or changed. Resolves when what is due now was looked at, once. */
  look(): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    if (this.#round) {
      this.#again = true
      return this.#round
    }
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#round = this.#work().finally(() => {
      this.#round = null
      if (!this.#again || this.#isStopped) return
      this.#again = false
      // With a pause: rounds that follow each other at once would let nothing else happen in this process.
      this.#lookAfter(leastPauseMs)
    })
    return this.#round
  }

  /** Resolves when the round that is under way is over; the next hub goes on from there. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe()
    clearTimeout(this.#timer)
    clearTimeout(this.#growthTimer)
    await this.#round
  }

  /** An agent that works writes many times a second: a round begins only when a run may have ended. */
  async #lookAtGrown(): Promise<void> {
    this.#growthTimer = undefined
    const runs = [...this.#grown]
    this.#grown.clear()
    for (const run of runs) {
      const head = await this.#parts.log.head(run).catch(() => null)
      if (head && outcomeOf(head.view) === null) continue
      this.#mustSettle = true
      return await this.look()
    }
  }

  #lookAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.look(), ms).unref()
  }

  async #work(): Promise<void> {
    const isWell = [
      await this.#try(() => this.#endBeyond()),
      await this.#try(() => this.#recount()),
      await this.#try(() => this.#account()),
      await this.#try(() => this.#settle()),
      await this.#try(() => this.#startWaiting()),
    ].every(Boolean)
    this.#parts.onAlarm()
    const pauseMs = isWell ? await this.#pauseMs().catch(() => retryMs) : retryMs
    if (!this.#isStopped) this.#lookAfter(pauseMs)
  }

  /** Until the next due time, or the end of a claim that another hub may have left behind. */
  async #pauseMs(): Promise<number> {
    const { db, now } = this.#parts
    const [due, claimed] = [await earliestDue(db), await earliestClaim(db)]
    const untilDue = due === null ? longestPauseMs : Math.max(leastPauseMs, due - now())
    const leaseEnd = claimed === null ? longestPauseMs : claimed + this.#leaseMs + leastPauseMs - now()
    return Math.min(longestPauseMs, untilDue, Math.max(retryMs, leaseEnd))
  }

  /** A full disk, or one damaged log, delays; it must not end the work on others. */
  async #try(act: () => Promise<unknown>): Promise<boolean> {
    if (this.#isStopped) return true
    try {
      return (await act()) !== false
    } catch (error) {
      this.#parts.onError(error)
      return false
    }
  }

  async #recount(): Promise<void> {
    const { db, now } = this.#parts
    for (const schedule of await schedulesAhead(db, new Date(now()))) {
      if (!wasClockWrong(schedule.lastDueAt, now())) continue
      await recountFrom(db, schedule, unlessOver(nextDue(schedule, now()), schedule.until))
    }
  }

  async #endBeyond(): Promise<void> {
    if (!this.#mustEndBeyond) return
    await endBeyondYears(this.#parts.db)
    this.#mustEndBeyond = false
  }

  /** Writes what became due into the ledger, a page a round. False if schedules were left behind as they were. */
  async #account(): Promise<boolean> {
    const { db, now } = this.#parts
    const due = await schedulesDue(db, new Date(now()), schedulesPerRound, this.#accountedTo)
    for (const schedule of due) {
      const done = await this.#try(async () => {
        const { timing, anchor, catchUp, until, nextDueAt } = schedule
        const standing = { of: { timing, anchor }, catchUp, until, nextDueAt: nextDueAt! }
        const at = now()
        const { entries, nextDueAt: next } = accountFor(standing, at)
        if (next === nextDueAt) return false
        await writeLines(db, schedule, entries, next, new Date(at))
        return true
      })
      this.#hasLeftBehind ||= !done
    }
    const isFull = due.length === schedulesPerRound
    this.#accountedTo = isFull ? due.at(-1)! : null
    if (isFull) {
      this.#again = true
      return true
    }
    const isWell = !this.#hasLeftBehind
    this.#hasLeftBehind = false
    return isWell
  }

  /** Ends the occurrences whose runs have ended, as their logs say. */
  async #settle(): Promise<void> {
    if (!this.#mustSettle) return
    this.#mustSettle = false
    const { db, log, now } = this.#parts
    this.#atWork.clear()
    let isWell = true
    for (const of of await startedOccurrences(db)) {
      // Before its log is read: what is written after that must be noticed.
      this.#atWork.add(of.run)
      const done = await this.#try(async () => {
        if (!of.hasBegun) await this.#begin(of, of.run)
        const outcome = outcomeOf((await log.head(of.run)).view)
        if (!outcome) return
        await endOccurrence(db, of, { ...outcome, from: 'started' }, new Date(now()))
        this.#atWork.delete(of.run)
      })
      isWell &&= done
    }
    // Looked at again in the next round, and not sooner: a damaged log stays damaged.
    this.#mustSettle ||= !isWell
  }

  /** Those of one owner one after the other, so that slow checks of one hold up no other for long. */
  async #startWaiting(): Promise<boolean> {
    const byOwner = new Map<string, Occurrence[]>()
    for (const of of await waitingOccurrences(this.#parts.db, this.#lease()))
      byOwner.set(of.owner, [...(byOwner.get(of.owner) ?? []), of])
    let isWell = true
    await inParallel(byOwner.values(), ownersAtOnce, undefined, async (waiting) => {
      if (!(await this.#startInTurn(waiting))) isWell = false
    })
    return isWell
  }

  async #startInTurn(waiting: readonly Occurrence[]): Promise<boolean> {
    const before = new Map<string, number>()
    const lateAt = performance.now() + perOwnerMs
    let isWell = true
    for (const of of waiting) {
      if (this.#isStopped) return isWell
      if (performance.now() > lateAt) {
        this.#again = true
        return isWell
      }
      const ahead = before.get(of.schedule) ?? 0
      const done = await this.#try(async () => {
        if (await this.#startOne(of, ahead)) before.set(of.schedule, ahead + 1)
      })
      isWell &&= done
      if (!done) before.set(of.schedule, ahead + 1)
    }
    return isWell
  }

  /** Whether it still waits. */
  async #startOne(of: Occurrence, before: number): Promise<boolean> {
    const { db, now, refusal, makeRun } = this.#parts
    const schedule = await scheduleById(db, of.schedule)
    const at = () => new Date(now())
    const from = of.state === 'claimed' ? 'claimed' : 'due'
    if (!schedule || schedule.isRemoved) {
      await endOccurrence(db, of, { state: 'skipped', reason: 'The schedule was deleted.', from }, at())
      return false
    }
    const overlap = overlapOf(schedule)
    const working = await countWorking(db, of)
    const isUsedUp = schedule.maxRuns !== null && schedule.runs >= schedule.maxRuns
    const isPaused = schedule.paused !== null
    const step = startStep({ by: of.by, before }, { overlap, isPaused, isUsedUp, working })
    if (step === 'wait') return true
    if (step !== 'start') {
      await endOccurrence(db, of, { state: step.end, reason: step.reason, from }, at())
      return false
    }
    const name = randomName()
    if (!(await claim(db, of, { name, working, lease: this.#lease() }, at()))) return true
    const why = await refusal(schedule)
    if (why !== null) {
      await endOccurrence(db, of, { state: 'failed', reason: why, from: 'claimed', name }, at())
      return false
    }
    const run = await makeRun(schedule, of, name)
    if (run === null) {
      await giveBack(db, of, name)
      this.#again = true
      return true
    }
    this.#atWork.add(run)
    await this.#begin(of, run, schedule)
    return false
  }

  /** A hub that is killed here has made a run without its message: the next one begins it again. */
  async #begin(of: Occurrence, run: RunId, known?: StoredSchedule): Promise<void> {
    const { db, beginRun } = this.#parts
    this.#mustSettle = true
    const schedule = known ?? (await scheduleById(db, of.schedule))
    if (schedule) await beginRun(schedule, run)
    await noteBegun(db, of.id)
  }

  #lease(): Lease {
    const now = this.#parts.now()
    return { from: new Date(now - this.#leaseMs), to: new Date(now + this.#leaseMs) }
  }
}
