import { Fault } from '@farhand/protocol/faults'
import { admit, type Earlier } from './admit.ts'
import type { DiskFile } from './disk.ts'
import type { Appended, Batch, LogHead, Stretch } from './event-log.ts'
import { encodeHead, type Snapshot } from './head-file.ts'
import { LogReader } from './log-reader.ts'
import { type LogState, remember, runnerSeq } from './log-state.ts'
import { headPath, type LogPlace, logPath, type OpenedLog, openLog, reopenLog } from './open-log.ts'
import { recall } from './recall.ts'
import { encodeLine } from './stored-line.ts'
import { lastLineStart } from './stretch.ts'
import { Tail } from './tail.ts'

export type RunLogOptions = LogPlace & { now: () => number; tailBytes: number; grew: () => void }

/** Lines that become durable together, and who waits for them. */
type Group = {
  firstId: number
  text: string
  waiting: { resolve: () => void; reject: (fault: Fault) => void }[]
}

const gatheredBytesMax = 64 * 1024 * 1024
const snapshotEveryEvents = 1000
const snapshotEveryBytes = 1024 * 1024
/** A big snapshot is written more rarely, so that snapshots stay a small part of all that is written. */
const snapshotShare = 8

/** Opens the log of one run. */
export async function openRunLog(options: RunLogOptions): Promise<RunLog> {
  return new RunLog(options, await openLog(options))
}

/** The log of one run, open: the only object that writes to its file. */
export class RunLog {
  readonly #options: RunLogOptions
  readonly #tail: Tail
  readonly #reader = new LogReader()
  /** Counts everything admitted; `#durable` only what is on the disk. */
  #state: LogState
  #durable: LogHead
  #file: DiskFile | null
  #lastLineAt: number
  #gathering: Group | null = null
  #writing: Group | null = null
  #broken: unknown = null
  #mending: Promise<void> | null = null
  #saved: { id: number; bytes: number; size: number }
  #saving: Promise<void> = Promise.resolve()
  #readers = 0
  #retired: DiskFile[] = []

  constructor(options: RunLogOptions, { file, snapshot, headBytes }: OpenedLog) {
    this.#options = options
    this.#tail = new Tail(options.tailBytes)
    this.#file = file
    this.#state = snapshot.state
    this.#durable = headOf(snapshot.state, snapshot.bytes)
    this.#lastLineAt = snapshot.lastLineAt
    this.#saved = { id: headBytes === snapshot.bytes ? snapshot.state.lastId : 0, bytes: headBytes, size: 0 }
  }

  get head(): LogHead {
    return this.#durable
  }

  /** Whether nothing is under way, so that it can be closed without anyone waiting for it. */
  get idle(): boolean {
    return !this.#gathering && !this.#writing && !this.#mending && this.#readers === 0
  }

  append(propose: (head: LogHead) => Batch): Promise<Appended> {
    if (this.#broken !== null) return this.#mend().then(() => this.append(propose))
    return new Promise((resolve, reject) => {
      if (this.#gathering && this.#gathering.text.length > gatheredBytesMax) {
        throw new Fault('log.unavailable', 'the disk is slower than the writers: try again')
      }
      const batch = propose(headOf(this.#state, this.#durable.bytes))
      const { earlier, events } = admit(this.#state, batch, this.#options.now())
      const text = events.map(encodeLine).join('')
      for (const event of events) remember(this.#state, event)
      if (text !== '') this.#gather(text, events[0]!.id)

      const ids = events.map((event) => event.id)
      const answer = () => resolve(this.#answer(earlier, ids))
      const last = ids.at(-1) ?? (Array.isArray(earlier) ? earlier.at(-1) : undefined) ?? this.#state.lastId
      const group = this.#groupOf(last)
      if (group) group.waiting.push({ resolve: answer, reject })
      else answer()
    })
  }

  recent(after: number, maxBytes: number): Stretch | null | undefined {
    return after >= this.#durable.lastId ? null : this.#tail.after(after, maxBytes)
  }

  async read(after: number, maxBytes: number): Promise<Stretch | null> {
    const recent = this.recent(after, maxBytes)
    if (recent !== undefined) return recent
    const { lastId, bytes } = this.#durable
    this.#readers += 1
    try {
      return await this.#reader.read(this.#file!, after, maxBytes, { id: lastId + 1, at: bytes })
    } catch (cause) {
      throw new Fault('log.unavailable', 'the log of this run cannot be read', { cause })
    } finally {
      this.#readers -= 1
      await this.#letGo()
    }
  }

  /** Waits for what was admitted, saves where it stands, and lets go of the file. */
  async close(): Promise<void> {
    for (let group = this.#newest(); group; group = this.#newest()) {
      const waiting = group.waiting
      await new Promise<void>((resolve) => waiting.push({ resolve, reject: () => resolve() }))
    }
    await this.#mending?.catch(() => {})
    if (this.#broken === null && this.#durable.lastId > this.#saved.id) {
      this.#save(encodeHead(this.#snapshot()), this.#durable)
    }
    await this.#saving
    if (this.#file) this.#retired.push(this.#file)
    this.#file = null
    await this.#letGo()
  }

  #answer(earlier: Earlier, ids: number[]): Appended | Promise<Appended> {
    if (!Array.isArray(earlier)) {
      return recall(earlier, (after, maxBytes) => this.read(after, maxBytes)).then((found) =>
        this.#answer(found, ids),
      )
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
    // Not at once: what else arrives in this turn of the event loop shares the flush.
    if (!this.#writing) setImmediate(() => this.#flush())
  }

  async #flush(): Promise<void> {
    const group = this.#gathering
    if (!group || this.#writing) return
    this.#gathering = null
    this.#writing = group
    const bytes = Buffer.from(group.text)
    const head = headOf(this.#state, this.#durable.bytes + bytes.length)
    const lastLineAt = this.#durable.bytes + lastLineStart(bytes)
    const headFile = this.#worthSaving(head)
      ? encodeHead({ state: this.#state, bytes: head.bytes, lastLineAt })
      : null
    try {
      await this.#write(bytes, this.#durable.bytes)
    } catch (cause) {
      this.#fail(cause)
      return
    }
    this.#durable = head
    this.#lastLineAt = lastLineAt
    this.#tail.push({ bytes, firstId: group.firstId, lastId: head.lastId })
    this.#writing = null
    // First the disk gets its next work, then everyone hears of what is done.
    if (this.#gathering) void this.#flush()
    for (const { resolve } of group.waiting) resolve()
    if (headFile) this.#save(headFile, head)
    this.#options.grew()
  }

  async #write(bytes: Buffer, at: number): Promise<void> {
    const made = this.#file === null
    this.#file ??= await this.#options.disk.open(logPath(this.#options), true)
    for (let done = 0; done < bytes.length; ) {
      const written = await this.#file!.write(done === 0 ? bytes : bytes.subarray(done), at + done)
      if (written === 0) throw new Error('the disk took no bytes')
      done += written
    }
    if (made) await this.#options.disk.syncFolder(this.#options.folder)
  }

  #fail(cause: unknown): void {
    const { report, run } = this.#options
    report({ run, cause }, 'a flush failed: what waited for it was refused, the log is opened anew')
    const waiting = [...(this.#writing?.waiting ?? []), ...(this.#gathering?.waiting ?? [])]
    this.#broken = cause ?? new Error('unknown')
    this.#writing = null
    this.#gathering = null
    const fault = faultOf(cause)
    for (const { reject } of waiting) reject(fault)
    // Whoever appends next tries again, and hears about it.
    this.#mend().catch(() => {})
  }

  #mend(): Promise<void> {
    this.#mending ??= this.#reopen().finally(() => {
      this.#mending = null
    })
    return this.#mending
  }

  async #reopen(): Promise<void> {
    try {
      const { file, snapshot } = await reopenLog(this.#options, this.#durable.bytes)
      if (this.#file) this.#retired.push(this.#file)
      this.#file = file
      this.#state = snapshot.state
      this.#broken = null
    } catch (cause) {
      throw faultOf(cause)
    }
    await this.#letGo()
  }

  #snapshot(): Snapshot {
    return { state: this.#state, bytes: this.#durable.bytes, lastLineAt: this.#lastLineAt }
  }

  #worthSaving(head: LogHead): boolean {
    const bytes = head.bytes - this.#saved.bytes
    if (bytes < this.#saved.size * snapshotShare) return false
    return bytes >= snapshotEveryBytes || head.lastId - this.#saved.id >= snapshotEveryEvents
  }

  #save(headFile: Buffer, { lastId, bytes }: LogHead): void {
    this.#saved = { id: lastId, bytes, size: headFile.length }
    const { disk, report, run } = this.#options
    this.#saving = this.#saving
      .then(() => disk.replace(headPath(this.#options), headFile))
      .catch((cause) =>
        report({ run, cause }, 'the head of a log could not be saved: opening it will take longer'),
      )
  }

  /** A file that was replaced is closed once nobody reads from it. */
  async #letGo(): Promise<void> {
    if (this.#readers > 0) return
    const files = this.#retired.splice(0)
    for (const file of files) {
      await file
        .close()
        .catch((cause) => this.#options.report({ run: this.#options.run, cause }, 'closing failed'))
    }
  }
}

function headOf(state: LogState, bytes: number): LogHead {
  return { lastId: state.lastId, bytes, view: state.view, runnerSeq: runnerSeq(state) }
}

function faultOf(cause: unknown): Fault {
  if (cause instanceof Fault) return cause
  const code = (cause as NodeJS.ErrnoException | null)?.code
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Fault('storage.full', 'the disk of the hub is full: free some space, then try again', {
      cause,
    })
  }
  return new Fault('log.unavailable', 'the events could not be stored: try again', { cause })
}
