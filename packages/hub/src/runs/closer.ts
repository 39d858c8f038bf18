import { event } from '@farhand/protocol/events/event-names'
import type { RunView } from '@farhand/protocol/runs/run-view'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { EventLog } from '../log/event-log.ts'
import type { LogReaders } from '../log/follow.ts'
import { closeDone, requestClose, runsToClose } from '../store/runs.ts'
import type { Tables } from '../store/tables.ts'
import { noteIfOpen } from './note-from-log.ts'
import type { OwnedRun } from './run-directory.ts'

type Parts = {
  db: Kysely<Tables>
  log: EventLog
  readers: LogReaders
  /** How long a runner may take for its last checkpoint. */
  graceMs: number
  /** How long a runner that stopped listening may stay away before it counts as gone. */
  awayMs: number
  /** Whether its runner is our own program in a sandbox of this hub, which gives a sign of life every second while it closes. */
  givesSigns?: (run: RunId) => boolean
  onError: (error: unknown) => void
}

const againMs = 5_000
const lookMs = 1_000
/** Far longer than a busy runner is silent while its run is closed: it is stopped or stuck, and saves nothing any more. */
const silentMs = 8_000

type Waiting = { requestedAt: string; deadline: number; timer: NodeJS.Timeout; look?: NodeJS.Timeout }

/**
 * Brings closing to its end (W22): gives the runner time for its last checkpoint, which is over when it says so, is
 * gone, or has used up its time, then logs `session_close`. What is still to be closed is noted before it is in the log, so that a
 * hub that starts after a crash finds it.
 */
export class Closer {
  readonly #parts: Parts
  readonly #waiting = new Map<RunId, Waiting>()
  /** Runs whose runner has begun and has said nothing yet, and until when its silence is no sign of its death. */
  readonly #begun = new Map<RunId, { generation: number; until: number }>()
  readonly #startedAt = new Date()
  readonly #startedMs = performance.now()
  #stopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Takes up what an earlier hub did not finish. */
  async start(): Promise<void> {
    for (const { run, requestedAt } of await runsToClose(this.#parts.db)) this.#wait(run, requestedAt)
  }

  /** Runs `append`, which puts the wish into the log, and sees to it that the run is then closed. */
  async close<Result>(run: OwnedRun, append: () => Promise<Result>): Promise<Result> {
    const requestedAt = await requestClose(this.#parts.db, run.id, new Date())
    const result = await append()
    const { view } = await this.#parts.log.head(run.id)
    if (view.closing && this.#mayBeListening(run, view)) this.#wait(run.id, requestedAt)
    else if (view.closing && this.#isComing(run.id)) {
      this.#wait(run.id, requestedAt)
      this.runnerLeft(run.id)
    } else await this.#finish(run.id, requestedAt)
    return result
  }

  /** The run was opened again: nothing is left to be done. */
  async opened(run: RunId): Promise<void> {
    const waiting = this.#forget(run)
    if (waiting) await closeDone(this.#parts.db, run, waiting.requestedAt)
  }

  /** A runner has its token and will listen soon: what the one before it left unsaid comes with it. */
  runnerBegan(run: RunId, generation: number): void {
    const now = performance.now()
    for (const [other, { until }] of this.#begun) if (until <= now) this.#begun.delete(other)
    this.#begun.set(run, { generation, until: now + this.#parts.awayMs })
  }

  /** It speaks: what was left unsaid is said first, and whoever does not listen by then does not mean to. */
  runnerSpoke(run: RunId, generation: number): void {
    // One that was shut out says nothing of the one that has taken its place.
    if (this.#begun.get(run)?.generation === generation) this.#begun.delete(run)
  }

  /** A runner listens, maybe only to read what there is: if its run is closing it has what is left of its time. */
  runnerCame(run: RunId): void {
    const waiting = this.#waiting.get(run)
    if (waiting) this.#arm(run, waiting, waiting.deadline - performance.now())
  }

  /** A runner stopped listening, maybe only for a moment. */
  runnerLeft(run: RunId): void {
    const waiting = this.#waiting.get(run)
    if (waiting) this.#arm(run, waiting, Math.min(this.#parts.awayMs, waiting.deadline - performance.now()))
  }

  /** The runner of this generation has saved all it has: if its run is closing, that is over. */
  async runnerDone(run: RunId, generation: number): Promise<void> {
    if (this.#stopped) throw new Fault('hub.stopping', 'this hub is stopping; try again shortly')
    this.runnerSpoke(run, generation)
    const isOver = await this.#logClosed(run, (view) => view.generation === generation)
    // Only now: it may be done before whoever asked for the end begins to wait for it.
    const waiting = isOver ? this.#forget(run) : undefined
    if (waiting) await this.#done(run, waiting.requestedAt)
  }

  stop(): void {
    this.#stopped = true
    for (const run of this.#waiting.keys()) this.#forget(run)
  }

  /** Right after a start the runner of a run from before may not have found its way back yet. */
  #mayBeListening(run: OwnedRun, { generation, status }: RunView): boolean {
    if (generation === 0 || status === 'asleep') return false
    if (this.#parts.readers.hasRunner(run.id, generation)) return true
    const isFromBefore = new Date(run.createdAt) < this.#startedAt
    return isFromBefore && performance.now() - this.#startedMs < this.#parts.awayMs
  }

  #isComing(run: RunId): boolean {
    return (this.#begun.get(run)?.until ?? 0) > performance.now()
  }

  #wait(run: RunId, requestedAt: string, ms = this.#parts.graceMs): void {
    if (this.#stopped || this.#waiting.has(run)) return
    const deadline = performance.now() + ms
    const waiting: Waiting = { requestedAt, deadline, timer: setTimeout(() => {}, 0) }
    this.#waiting.set(run, waiting)
    this.#arm(run, waiting, ms)
    if (this.#parts.givesSigns?.(run)) this.#lookForSigns(run, waiting, performance.now() + silentMs)
  }

  /** A runner that is stopped keeps its connection: by its silence it is known before its time is used up. */
  #lookForSigns(run: RunId, waiting: Waiting, from: number): void {
    waiting.look = setTimeout(() => {
      void this.#isSilent(run).then(
        (isSilent) => {
          if (this.#waiting.get(run) !== waiting) return
          if (isSilent && performance.now() >= from) void this.#finish(run, waiting.requestedAt)
          else this.#lookForSigns(run, waiting, from)
        },
        (error) => this.#parts.onError(error),
      )
    }, lookMs)
  }

  async #isSilent(run: RunId): Promise<boolean> {
    const { log, readers } = this.#parts
    const { generation } = (await log.head(run)).view
    return readers.hasRunner(run, generation) && readers.silentMs(run, generation) > silentMs
  }

  #arm(run: RunId, waiting: Waiting, ms: number): void {
    clearTimeout(waiting.timer)
    waiting.timer = setTimeout(() => void this.#finish(run, waiting.requestedAt), Math.max(0, ms))
  }

  #forget(run: RunId): Waiting | undefined {
    const waiting = this.#waiting.get(run)
    clearTimeout(waiting?.timer)
    clearTimeout(waiting?.look)
    this.#waiting.delete(run)
    return waiting
  }

  async #finish(run: RunId, requestedAt: string): Promise<void> {
    this.#forget(run)
    if (this.#stopped) return
    try {
      await this.#logClosed(run, () => true)
      await this.#done(run, requestedAt)
    } catch (error) {
      this.#parts.onError(error)
      // A disk that is full now may have room later, and nobody else would think of this run.
      this.#wait(run, requestedAt, againMs)
    }
  }

  /** The wish is forgotten last: as long as it is noted, the next hub does what this one did not come to. */
  async #done(run: RunId, requestedAt: string): Promise<void> {
    await noteIfOpen(this.#parts, run)
    await closeDone(this.#parts.db, run, requestedAt)
  }

  /** Whether it had to be said: a run that was opened again, or closed by an earlier try, is left as it is. */
  async #logClosed(run: RunId, mayBe: (view: RunView) => boolean): Promise<boolean> {
    let isSaid = false
    await this.#parts.log.append(run, ({ view }) => {
      isSaid = view.closing && mayBe(view)
      return { by: { kind: 'hub' }, notifications: isSaid ? [closed] : [] }
    })
    return isSaid
  }
}

const closed = event('session_close', { reason: 'closed by the user' })
