import { event } from '@farhand/protocol/events/event-names'
import type { RunView } from '@farhand/protocol/runs/run-view'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'
import type { LogReaders } from '../log/follow.ts'
import { closeDone, requestClose, runsToClose } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'
import { noteIfOpen } from './note-from-log.ts'
import type { OwnedRun } from './run-directory.ts'

type Parts = {
  db: Db
  log: EventLog
  readers: LogReaders
  /** How long a runner may take for its last checkpoint. */
  graceMs: number
  /** How long a runner may be disconnected before it counts as gone. */
  awayMs: number
  /** Whether the runner is in a sandbox of this hub: such a runner gives a sign of life every second while its run is closed. */
  givesSigns?: (run: RunId) => boolean
  onError: (error: unknown) => void
}

const againMs = 5_000
const lookMs = 1_000
/** A runner that is silent for this long while its run is closed is stopped or stuck, and will save nothing more. */
const silentMs = 8_000

type Waiting = { requestedAt: string; deadline: number; timer: NodeJS.Timeout; look?: NodeJS.Timeout }

/**
 * Completes the closing of runs (W22): gives the runner time for its last checkpoint, until it says that it is done, is gone, or has
 * used up its time; then logs `session_close`. The request is in the store before it is in the log, so that a hub that starts after
 * a crash finds it.
 */
export class Closer {
  readonly #parts: Parts
  readonly #waiting = new Map<RunId, Waiting>()
  /** Runs whose new runner has sent nothing yet, and until when that is normal. */
  readonly #begun = new Map<RunId, { generation: number; until: number }>()
  readonly #startedAt = new Date()
  readonly #startedMs = performance.now()
  #stopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Continues what an earlier hub did not finish. */
  async start(): Promise<void> {
    for (const { run, requestedAt } of await runsToClose(this.#parts.db)) this.#wait(run, requestedAt)
  }

  /** Runs `append`, which logs the close request, and then completes the closing. */
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

  /** The run was opened again, so its closing is cancelled. */
  async opened(run: RunId): Promise<void> {
    const waiting = this.#forget(run)
    if (waiting) await closeDone(this.#parts.db, run, waiting.requestedAt)
  }

  /** A new runner has its token and will connect soon. It may still bring events that the one before it had not sent. */
  runnerBegan(run: RunId, generation: number): void {
    const now = performance.now()
    for (const [other, { until }] of this.#begun) if (until <= now) this.#begun.delete(other)
    this.#begun.set(run, { generation, until: now + this.#parts.awayMs })
  }

  /** The new runner has sent events. Unsent events come first, so if it is not listening by now it will not. */
  runnerSpoke(run: RunId, generation: number): void {
    // A request of a fenced runner tells nothing about its successor.
    if (this.#begun.get(run)?.generation === generation) this.#begun.delete(run)
  }

  /** A runner has connected. If its run is closing, it has the rest of its time. */
  runnerCame(run: RunId): void {
    const waiting = this.#waiting.get(run)
    if (waiting) this.#arm(run, waiting, waiting.deadline - performance.now())
  }

  /** A runner has disconnected, maybe only for a moment. */
  runnerLeft(run: RunId): void {
    const waiting = this.#waiting.get(run)
    if (waiting) this.#arm(run, waiting, Math.min(this.#parts.awayMs, waiting.deadline - performance.now()))
  }

  /** The runner of this generation has saved everything: if its run is closing, the closing is completed. */
  async runnerDone(run: RunId, generation: number): Promise<void> {
    if (this.#stopped) throw new Fault('hub.stopping', 'this hub is stopping; try again shortly')
    this.runnerSpoke(run, generation)
    const isOver = await this.#logClosed(run, (view) => view.generation === generation)
    // After logging: the runner may be done before `close` has started to wait.
    const waiting = isOver ? this.#forget(run) : undefined
    if (waiting) await this.#done(run, waiting.requestedAt)
  }

  stop(): void {
    this.#stopped = true
    for (const run of this.#waiting.keys()) this.#forget(run)
  }

  /** Right after the hub's start, runners may not have reconnected yet. */
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

  /** A stopped process keeps its connection open: its silence shows this before its time is used up. */
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
      // Retried: a full disk may have room later, and no other part of the hub handles this run.
      this.#wait(run, requestedAt, againMs)
    }
  }

  /** The close request is removed last: as long as it is stored, the next hub completes what this one did not finish. */
  async #done(run: RunId, requestedAt: string): Promise<void> {
    await noteIfOpen(this.#parts, run)
    await closeDone(this.#parts.db, run, requestedAt)
  }

  /** Whether the event was logged: a run that was opened again, or was closed by an earlier try, is left as it is. */
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
