import type { RunId } from '@farhand/protocol/wire/ids'
import type { EventLog, Stretch } from './event-log.ts'
import { ReadBuffers } from './read-buffers.ts'
import { pieces } from './stretch.ts'

/** Where a reader's events go. */
export interface Outlet {
  /** Takes the stretch, a passing one before it returns; false when it wants no more until `resume` is called. */
  write(stretch: Stretch): boolean
  /** All that was durable has been written for the first time; from here on events come as they happen. */
  live(lastId: number): void
  /** The run is closed and all of it was written. */
  end(lastId: number): void
  /** A newer runner took over; what this one reads is not meant for it any more. */
  fenced(): void
  /** The log could not be read. */
  fail(error: unknown): void
}

const firstBytes = 32 * 1024
const mostBytes = 512 * 1024
const bufferCount = 32

/**
 * One reader: a cursor and an outlet. It holds no events. Behind the tail it reads the log, at the tail it waits
 * for the ring and reads again, so gaps, duplicates and slow readers have one answer: where the cursor is.
 */
export class Reader {
  readonly outlet: Outlet
  readonly generation: number | null
  after: number
  /** When whoever reads was last heard: an open line says nothing of who is at its other end. */
  heardAt = performance.now()
  readonly #runReaders: RunReaders
  #asking = false
  #rungMeanwhile = false
  #full = false
  #live = false
  #stopped = false
  /** How much is written at once: what a reader that stalls costs in memory. */
  #bytes = firstBytes

  constructor(runReaders: RunReaders, after: number, outlet: Outlet, generation: number | null) {
    this.#runReaders = runReaders
    this.after = after
    this.outlet = outlet
    this.generation = generation
  }

  /** The outlet can take more. */
  resume(): void {
    this.#full = false
    // Only a reader that takes what it is given gets more at once: one that stalls must not hold much.
    this.#bytes = Math.min(this.#bytes * 2, mostBytes)
    this.pump()
  }

  stop(): void {
    this.#stopped = true
    this.#runReaders.leave(this)
  }

  /** Gives what there is. Never throws: it is called by bells and drains, where nobody could catch it. */
  pump(): void {
    if (this.#asking) this.#rungMeanwhile = true
    try {
      this.#pump()
    } catch (error) {
      this.outlet.fail(error)
    }
  }

  #pump(): void {
    const { log, run } = this.#runReaders
    while (!this.#stopped && !this.#full && !this.#asking) {
      const stretch = log.recent(run, this.after, this.#bytes)
      if (stretch) {
        this.#give(stretch)
        continue
      }
      if (stretch === null) this.#arrive()
      else this.#ask()
      break
    }
  }

  #give(stretch: Stretch): void {
    this.after = stretch.lastId
    this.#full = !this.outlet.write(stretch)
  }

  #ask(): void {
    const { log, run, buffers } = this.#runReaders
    this.#asking = true
    this.#rungMeanwhile = false
    const buffer = buffers.take()
    log
      .read(run, this.after, buffer ? mostBytes : this.#bytes, buffer)
      .then((stretch) => {
        this.#asking = false
        if (!stretch || this.#stopped) return stretch
        this.#giveInPieces(stretch)
        return stretch
      })
      .finally(() => buffer && buffers.giveBack(buffer))
      .then((stretch) => {
        if (this.#stopped) return
        // An end that was read before the bell rang is no end; not looking again would miss what it rang for.
        if (stretch || this.#rungMeanwhile) this.pump()
        else this.#arrive()
      })
      .catch((error) => {
        this.#asking = false
        if (!this.#stopped) this.outlet.fail(error)
      })
  }

  #giveInPieces(stretch: Stretch): void {
    for (const piece of pieces(stretch, this.#bytes)) {
      this.#give(piece)
      // What was read too much is read again: the disk's cache has it, and a reader that stalls keeps nothing.
      if (this.#full || this.#stopped) break
    }
  }

  #arrive(): void {
    this.#bytes = firstBytes
    if (!this.#live) {
      this.#live = true
      this.outlet.live(this.after)
    }
    if (this.#runReaders.endedAt === this.after) this.outlet.end(this.after)
  }
}

/** All readers of one run: one bell and one look at the head for all of them. */
export class RunReaders {
  readonly log: EventLog
  readonly run: RunId
  readonly buffers: ReadBuffers
  readonly readers = new Set<Reader>()
  /** The last id of a closed run; null while it is open. */
  endedAt: number | null = null
  readonly #unsubscribe: () => void
  readonly #onEmpty: () => void
  readonly #onLeave: (reader: Reader) => void

  constructor(
    log: EventLog,
    run: RunId,
    buffers: ReadBuffers,
    onLeave: (reader: Reader) => void,
    onEmpty: () => void,
  ) {
    this.log = log
    this.run = run
    this.buffers = buffers
    this.#onLeave = onLeave
    this.#onEmpty = onEmpty
    this.#unsubscribe = log.onGrowth(run, () => this.#ring())
  }

  leave(reader: Reader): void {
    if (!this.readers.delete(reader)) return
    this.#onLeave(reader)
    if (this.readers.size > 0) return
    this.#unsubscribe()
    this.#onEmpty()
  }

  #ring(): void {
    for (const reader of this.readers) reader.pump()
    this.look().catch((error) => {
      for (const reader of this.readers) reader.outlet.fail(error)
    })
  }

  /** Learns from the durable head whether the run has ended and which readers are fenced. */
  async look(): Promise<void> {
    const { lastId, view } = await this.log.head(this.run)
    this.endedAt = view.status === 'closed' ? lastId : null
    for (const reader of this.readers) {
      if (reader.generation !== null && reader.generation < view.generation) reader.outlet.fenced()
      else if (this.endedAt !== null) reader.pump()
    }
  }
}

/** Who wants to know of readers that come and leave. */
export type ReaderHooks = {
  came: (run: RunId, reader: Reader) => void
  left: (run: RunId, reader: Reader) => void
}

/** The readers of all runs. */
export class LogReaders {
  readonly #log: EventLog
  readonly #byRun = new Map<RunId, RunReaders>()
  readonly #buffers = new ReadBuffers(bufferCount, mostBytes)
  readonly #hooks: ReaderHooks

  constructor(log: EventLog, hooks: ReaderHooks = { came: () => {}, left: () => {} }) {
    this.#log = log
    this.#hooks = hooks
  }

  /** Starts reading after `after`: first what is stored, then what comes, until the reader is stopped. */
  follow(run: RunId, after: number, outlet: Outlet, generation: number | null = null): Reader {
    let runReaders = this.#byRun.get(run)
    if (!runReaders) {
      runReaders = new RunReaders(
        this.#log,
        run,
        this.#buffers,
        (left) => this.#hooks.left(run, left),
        () => this.#byRun.delete(run),
      )
      this.#byRun.set(run, runReaders)
    }
    const reader = new Reader(runReaders, after, outlet, generation)
    runReaders.readers.add(reader)
    this.#hooks.came(run, reader)
    // Nothing is written before this returns: whoever asked must know the reader before its outlet hears of it.
    runReaders.look().then(
      () => reader.pump(),
      (error) => outlet.fail(error),
    )
    return reader
  }

  /** Whether the runner of this generation is listening, as far as its connection tells. */
  hasRunner(run: RunId, generation: number): boolean {
    return this.#streamsOf(run, generation).length > 0
  }

  /** The runner of this generation has asked or said something. */
  heard(run: RunId, generation: number): void {
    for (const stream of this.#streamsOf(run, generation)) stream.heardAt = performance.now()
  }

  /** For how long nothing was heard of the runner of this generation; endlessly if it does not listen. */
  silentMs(run: RunId, generation: number): number {
    const heardAt = this.#streamsOf(run, generation).map((stream) => stream.heardAt)
    return performance.now() - Math.max(...heardAt)
  }

  #streamsOf(run: RunId, generation: number): Reader[] {
    const readers = this.#byRun.get(run)?.readers ?? []
    return [...readers].filter((reader) => reader.generation === generation)
  }
}
