import type { RunId } from '@farhand/protocol/wire/ids'
import type { EventLog, LogChunk } from './event-log.ts'
import { pieces } from './log-chunk.ts'
import { ReadBuffers } from './read-buffers.ts'

/** The destination of a reader's events, such as a stream to a client. */
export interface Outlet {
  /** Takes the chunk (a `passing` one must be used before it returns); false if it wants no more until `resume` is called. */
  write(chunk: LogChunk): boolean
  /** The reader has caught up with the log for the first time; further events come as they happen. */
  live(lastId: number): void
  /** The run is closed and all its events were written. */
  end(lastId: number): void
  /** A newer runner took over; this reader must get no more events. */
  fenced(): void
  /** The log could not be read. */
  fail(error: unknown): void
}

const firstBytes = 32 * 1024
const mostBytes = 512 * 1024
const bufferCount = 32

/**
 * One reader: a cursor and an outlet, without a queue of events. When behind, it reads the log; when caught up, it waits for a ring and
 * reads again. So gaps, duplicates and slow readers are all handled by the cursor.
 */
export class Reader {
  readonly outlet: Outlet
  readonly generation: number | null
  after: number
  /** When the client last sent a request: an open connection does not prove that the client still works. */
  heardAt = performance.now()
  readonly #runReaders: RunReaders
  #asking = false
  #rungMeanwhile = false
  #full = false
  #live = false
  #stopped = false
  /** How much is written at once, which is the memory that a stalled reader costs. */
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
    // Only a reader that keeps up gets more at once: a stalled one must not hold much memory.
    this.#bytes = Math.min(this.#bytes * 2, mostBytes)
    this.pump()
  }

  stop(): void {
    this.#stopped = true
    this.#runReaders.leave(this)
  }

  /** Writes the available events. Never throws: event handlers call it, where no caller could catch the error. */
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
      const chunk = log.recent(run, this.after, this.#bytes)
      if (chunk) {
        this.#give(chunk)
        continue
      }
      if (chunk === null) this.#arrive()
      else this.#ask()
      break
    }
  }

  #give(chunk: LogChunk): void {
    this.after = chunk.lastId
    this.#full = !this.outlet.write(chunk)
  }

  #ask(): void {
    const { log, run, buffers } = this.#runReaders
    this.#asking = true
    this.#rungMeanwhile = false
    const buffer = buffers.take()
    log
      .read(run, this.after, buffer ? mostBytes : this.#bytes, buffer)
      .then((chunk) => {
        this.#asking = false
        if (!chunk || this.#stopped) return chunk
        this.#giveInPieces(chunk)
        return chunk
      })
      .finally(() => buffer && buffers.giveBack(buffer))
      .then((chunk) => {
        if (this.#stopped) return
        // If it rang during the read, the end that was read may be old: read again.
        if (chunk || this.#rungMeanwhile) this.pump()
        else this.#arrive()
      })
      .catch((error) => {
        this.#asking = false
        if (!this.#stopped) this.outlet.fail(error)
      })
  }

  #giveInPieces(chunk: LogChunk): void {
    for (const piece of pieces(chunk, this.#bytes)) {
      this.#give(piece)
      // The rest is read again later: the disk's cache has it, and a stalled reader keeps no memory.
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

/** All readers of one run, with one subscription and one check of the head for all of them. */
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

/** Called when readers start and stop. */
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

  /** Starts reading after `after`: first the stored events, then new ones, until the reader is stopped. */
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
    // Nothing is written before this returns: the caller must have the reader before its outlet is called.
    runReaders.look().then(
      () => reader.pump(),
      (error) => outlet.fail(error),
    )
    return reader
  }

  /** Whether the runner of this generation has an open stream. */
  hasRunner(run: RunId, generation: number): boolean {
    return this.#streamsOf(run, generation).length > 0
  }

  /** Records that the runner of this generation has sent a request. */
  heard(run: RunId, generation: number): void {
    for (const stream of this.#streamsOf(run, generation)) stream.heardAt = performance.now()
  }

  /** For how long the runner of this generation has sent no request; infinite if it has no stream. */
  silentMs(run: RunId, generation: number): number {
    const heardAt = this.#streamsOf(run, generation).map((stream) => stream.heardAt)
    return performance.now() - Math.max(...heardAt)
  }

  #streamsOf(run: RunId, generation: number): Reader[] {
    const readers = this.#byRun.get(run)?.readers ?? []
    return [...readers].filter((reader) => reader.generation === generation)
  }
}
