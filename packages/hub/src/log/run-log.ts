import type { StoredEvent } from '@farhand/protocol/wire/event'
import { Fault } from '@farhand/protocol/wire/faults'
import { admit, type Earlier } from './admit.ts'
import { type DiskFile, writeWhole } from './disk/disk.ts'
import { storageFault } from './disk/storage-fault.ts'
import type { Appended, Batch, LogChunk, LogHead } from './event-log.ts'
import { lastLineStart } from './log-chunk.ts'
import { LogFileReader } from './log-file-reader.ts'
import { type LogPlace, logPath } from './log-place.ts'
import { type LogState, remember, runnerSeq } from './log-state.ts'
import { type OpenedLog, openLog, reopenLog } from './open-log.ts'
import { ProducerIdSearch } from './producer-id-search.ts'
import { SnapshotSaver } from './snapshot-saver.ts'
import { encodeLine } from './stored-line.ts'
import { Tail } from './tail.ts'

export type RunLogOptions = LogPlace & {
  now: () => number
  tailBytes: number
  snapshotEvents: number
  grew: () => void
}

/** Lines that become durable together, and the appends that wait for them. */
type Group = {
  firstId: number
  text: string
  waiting: { resolve: () => void; reject: (fault: Fault) => void }[]
}

/** A group on its way to the disk, and the head of the log once it is durable. */
type Flush = { bytes: Buffer; head: LogHead; lastLineAt: number; save: (() => void) | null }

const gatheredCharsMax = 64 * 1024 * 1024

/** Opens the log of one run. */
export async function openRunLog(options: RunLogOptions): Promise<RunLog> {
  return new RunLog(options, await openLog(options))
}

/** The open log of one run. No other code may write to its file. */
export class RunLog {
  readonly #options: RunLogOptions
  readonly #tail: Tail
  readonly #reader = new LogFileReader()
  readonly #recall = new ProducerIdSearch((after, maxBytes) => this.read(after, maxBytes))
  readonly #heads: SnapshotSaver
  /** Includes everything admitted; `#durable` includes only what is on the disk. */
  #state: LogState
  #durable: LogHead
  #lastLineAt: number
  #file: DiskFile | null
  #gathering: Group | null = null
  #writing: Group | null = null
  #storing: Promise<void> = Promise.resolve()
  #broken = false
  #mending: Promise<void> | null = null
  #using = 0
  #unused: (() => void)[] = []
  #closed = false

  constructor(options: RunLogOptions, { file, snapshot, headBytes }: OpenedLog) {
    const { state, bytes, lastLineAt } = snapshot
    this.#options = options
    this.#tail = new Tail(options.tailBytes)
    this.#heads = new SnapshotSaver(
      options,
      options.snapshotEvents,
      headBytes === bytes ? state.lastId : 0,
      headBytes,
    )
    this.#file = file
    this.#state = state
    this.#durable = headOf(state, bytes)
    this.#lastLineAt = lastLineAt
  }

  get head(): LogHead {
    return this.#durable
  }

  /** Whether nothing is in progress, so that it can be closed at once. */
  get idle(): boolean {
    return !this.#gathering && !this.#writing && !this.#mending && this.#using === 0
  }

  append(propose: (head: LogHead) => Batch): Promise<Appended> {
    if (this.#broken) return this.#use(() => this.#mend().then(() => this.append(propose)))
    return new Promise((resolve, reject) => {
      this.#checkReady()
      const batch = propose(headOf(this.#state, this.#durable.bytes))
      const { earlier, events } = admit(this.#state, batch, this.#options.now())
      const ids = events.map((event) => event.id)
      const text = events.map(encodeLine).join('')
      if (events.length > 0) this.#take(events, text)

      const last = ids.at(-1) ?? (Array.isArray(earlier) ? earlier.at(-1) : undefined) ?? this.#state.lastId
      const answer = () => resolve(this.#answer(earlier, ids))
      const group = this.#groupOf(last)
      if (group) group.waiting.push({ resolve: answer, reject })
      else answer()
    })
  }

  recent(after: number, maxBytes: number): LogChunk | null | undefined {
    return after >= this.#durable.lastId ? null : this.#tail.after(after, maxBytes)
  }

  async read(after: number, maxBytes: number, into?: Buffer): Promise<LogChunk | null> {
    const recent = this.recent(after, maxBytes)
    if (recent !== undefined) return recent
    const { lastId, bytes } = this.#durable
    const file = this.#file!
    return this.#use(() =>
      this.#reader.read(file, after, maxBytes, { id: lastId + 1, at: bytes }, into),
    ).catch((cause) => {
      throw new Fault('log.unavailable', 'the log of this run cannot be read', { cause })
    })
  }

  /** Waits for everything admitted, saves a snapshot, and closes the file. */
  async close(): Promise<void> {
    this.#closed = true
    for (let group = this.#newest(); group; group = this.#newest()) {
      const { waiting } = group
      await new Promise<void>((resolve) => waiting.push({ resolve, reject: () => resolve() }))
    }
    await this.#mending?.catch(() => {})
    await this.#untilUnused()
    const snapshot = { state: this.#state, bytes: this.#durable.bytes, lastLineAt: this.#lastLineAt }
    try {
      await this.#heads.finish(this.#broken ? null : snapshot)
    } finally {
      await this.#file?.close()
    }
  }

  #checkReady(): void {
    if (this.#closed) throw new Fault('log.unavailable', 'the log of this run was just closed: try again')
    if (this.#gathering && this.#gathering.text.length > gatheredCharsMax) {
      throw new Fault('log.unavailable', 'the disk is slower than the writers: try again later')
    }
  }

  #take(events: StoredEvent[], text: string): void {
    try {
      for (const event of events) remember(this.#state, event)
      this.#gather(text, events[0]!.id)
    } catch (cause) {
      // The state may include only a part of the events, or more than was gathered: it must be read from the disk again.
      this.#fail(cause)
      throw cause
    }
  }

  #answer(earlier: Earlier, ids: number[]): Appended | Promise<Appended> {
    if (!Array.isArray(earlier)) {
      const found = this.#use(() => this.#recall.idsOf(earlier))
      return found.then((earlierIds) => this.#answer(earlierIds, ids))
    }
    const all = earlier.length > 0 ? [...earlier, ...ids] : ids
    return { ids: all, lastEventId: all.at(-1) ?? this.#durable.lastId }
  }

  #newest(): Group | null {
    return this.#gathering ?? this.#writing
  }

  /** The group that has to become durable before `id` is. */
  #groupOf(id: number): Group | null {
    if (id <= this.#durable.lastId) return null
    return this.#gathering && id >= this.#gathering.firstId ? this.#gathering : this.#writing
  }

  #gather(text: string, firstId: number): void {
    if (this.#gathering) {
      this.#gathering.text += text
      return
    }
    this.#gathering = { firstId, text, waiting: [] }
    // Not at once: other appends in this turn of the event loop share the flush.
    if (!this.#writing) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const group = this.#gathering
    if (!group || this.#writing) return
    this.#gathering = null
    this.#writing = group
    const { report, run } = this.#options
    this.#storing = this.#store(group).catch((err) =>
      report({ run, err }, 'notifying readers of a flush failed'),
    )
  }

  async #store(group: Group): Promise<void> {
    let flush: Flush
    try {
      flush = this.#encode(group)
      await this.#write(flush.bytes, this.#durable.bytes)
    } catch (cause) {
      this.#writing = null
      this.#fail(cause, group.waiting)
      return
    }
    const { bytes, head, lastLineAt, save } = flush
    this.#durable = head
    this.#lastLineAt = lastLineAt
    this.#tail.push({ bytes, firstId: group.firstId, lastId: head.lastId })
    this.#writing = null
    // The next write is started before the waiting appends are answered.
    this.#flush()
    for (const { resolve } of group.waiting) resolve()
    save?.()
    // After the waiting appends: writing to many readers takes longer than the disk write.
    setImmediate(() => this.#grew())
  }

  #grew(): void {
    try {
      this.#options.grew()
    } catch (err) {
      this.#options.report({ run: this.#options.run, err }, 'notifying readers of a flush failed')
    }
  }

  #encode({ text }: Group): Flush {
    const start = this.#durable.bytes
    // Not from the shared pool: the tail keeps these bytes, and would keep a whole block of the pool alive.
    const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
    bytes.write(text)
    const head = headOf(this.#state, start + bytes.length)
    const lastLineAt = start + lastLineStart(bytes)
    if (!this.#heads.due(head)) return { bytes, head, lastLineAt, save: null }
    // The snapshot is taken now, as the state advances while the bytes are written.
    const save = this.#heads.take({ state: this.#state, bytes: head.bytes, lastLineAt })
    return { bytes, head, lastLineAt, save }
  }

  async #write(bytes: Buffer, position: number): Promise<void> {
    const { disk, folder, writeBytesMax } = this.#options
    if (this.#file) return writeWhole(this.#file, bytes, position, writeBytesMax)
    this.#file = (await disk.open(logPath(this.#options), true))!
    await writeWhole(this.#file, bytes, position, writeBytesMax)
    await disk.syncFolder(folder)
  }

  /** Stops admitting events until the log is opened again. A write that is still in progress may yet succeed. */
  #fail(cause: unknown, waiting: Group['waiting'] = []): void {
    const { report, run } = this.#options
    report(
      { run, err: cause },
      'an append failed: appends that waited with it were refused, and the log is opened again',
    )
    const refused = [...waiting, ...(this.#gathering?.waiting ?? [])]
    this.#broken = true
    this.#gathering = null
    for (const { reject } of refused) reject(storageFault(cause))
    // If this fails, the next append tries again and gets the error.
    this.#mend().catch(() => {})
  }

  #mend(): Promise<void> {
    this.#mending ??= this.#reopen().finally(() => {
      this.#mending = null
    })
    return this.#mending
  }

  async #reopen(): Promise<void> {
    // A write that ends after the cut would restore what was cut, and count it as durable.
    await this.#storing
    const { file, snapshot } = await reopenLog(this.#options, this.#durable.bytes).catch((cause) => {
      throw storageFault(cause)
    })
    const replaced = this.#file
    this.#file = file
    this.#state = snapshot.state
    this.#broken = false
    // Readers may still be busy with the old one.
    this.#untilUnused()
      .then(() => replaced?.close())
      .catch((err) => this.#options.report({ run: this.#options.run, err }, 'a replaced file was not closed'))
  }

  async #use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#using += 1
    try {
      return await work()
    } finally {
      this.#using -= 1
      if (this.#using === 0) for (const tell of this.#unused.splice(0)) tell()
    }
  }

  #untilUnused(): Promise<void> {
    return this.#using === 0 ? Promise.resolve() : new Promise((resolve) => this.#unused.push(resolve))
  }
}

function headOf(state: LogState, bytes: number): LogHead {
  return { lastId: state.lastId, bytes, view: state.view, runnerSeq: runnerSeq(state) }
}
