import { Fault } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import { copyLog } from './copy-log.ts'
import type { Disk } from './disk/disk.ts'
import { nodeDisk } from './disk/node-disk.ts'
import type { EventLog } from './event-log.ts'
import { headPath, type LogPlace, logPath, type Report } from './log-place.ts'
import { DamagedLog } from './open-log.ts'
import { openRunLog, type RunLog } from './run-log.ts'

export type FileEventLogOptions = {
  /** The folder with a `run_<id>.jsonl` for each run; made if missing. Only one process may use it. */
  dir: string
  logger?: { warn(about: object, message: string): void }
  disk?: Disk
  now?: () => number
  /** How much of each run's newest events is kept in memory for its readers. */
  tailBytes?: number
  /** How many events may have to be read again when a run is opened after a crash. */
  snapshotEvents?: number
  /** How much is written at once: a crash can only damage this much at the end of a log. */
  writeBytesMax?: number
  /** After how long without use a run's file is closed and its memory released. */
  idleMs?: number
  openRunsMax?: number
}

/** An open log. It must not be closed while `users` is above 0. */
type Entry = { opening: Promise<RunLog>; log: RunLog | null; users: number; usedAt: number }

/** The event log in files: NDJSON, exactly the bytes that are served. */
export async function openFileEventLog(options: FileEventLogOptions): Promise<EventLog> {
  const disk = options.disk ?? nodeDisk
  await disk.makeFolder(options.dir)
  return new FileEventLog({ ...options, disk })
}

class FileEventLog implements EventLog {
  readonly #options: FileEventLogOptions & { disk: Disk }
  readonly #runs = new Map<RunId, Entry>()
  /** Logs that were found damaged, with stamps of their files: they are not read again until a file changes. */
  readonly #damaged = new Map<RunId, { fault: Fault; stamps: string }>()
  readonly #closing = new Map<RunId, Promise<void>>()
  readonly #rings = new Map<RunId, Set<() => void>>()
  readonly #ringsOfAny = new Set<(run: RunId) => void>()
  #sweep: NodeJS.Timeout | undefined
  readonly #report: Report = (about, message) => {
    try {
      this.#options.logger?.warn(about, message)
    } catch {
      // A failing logger must not break the event log, and there is nowhere else to report it.
    }
  }
  readonly #idleMs: number
  readonly #openRunsMax: number
  #stopped = false

  constructor(options: FileEventLogOptions & { disk: Disk }) {
    this.#options = options
    this.#idleMs = options.idleMs ?? 60_000
    this.#openRunsMax = options.openRunsMax ?? 256
    if (Number.isFinite(this.#idleMs)) {
      this.#sweep = setInterval(() => this.#releaseIdle(), this.#idleMs / 2).unref()
    }
  }

  append: EventLog['append'] = (run, propose) => {
    if (this.#stopped) return Promise.reject(stopping())
    const open = this.#openNow(run)
    return open ? open.append(propose) : this.#with(run, (log) => log.append(propose))
  }

  head: EventLog['head'] = (run) => this.#with(run, async (log) => log.head)

  read: EventLog['read'] = (run, after, maxBytes, into) =>
    this.#with(run, (log) => log.read(after, maxBytes, into))

  recent: EventLog['recent'] = (run, after, maxBytes) => this.#openNow(run)?.recent(after, maxBytes)

  copy: EventLog['copy'] = async (from, upTo, to) => {
    if (this.#runs.has(to) || this.#closing.has(to)) throw new Error(`the log of ${to} is in use already`)
    return this.#with(from, (log) =>
      copyLog(this.#place(to), upTo, (after, maxBytes) => log.read(after, maxBytes)),
    )
  }

  remove: EventLog['remove'] = async (run) => {
    if (this.#stopped) throw stopping()
    const entry = this.#runs.get(run)
    await entry?.opening.catch(() => {})
    if (entry && this.#runs.get(run) === entry) this.#release(run, entry)
    await this.#closing.get(run)
    const place = this.#place(run)
    for (const path of [logPath(place), headPath(place)]) await place.disk.unlink(path)
    await place.disk.syncFolder(place.folder)
  }

  onGrowth: EventLog['onGrowth'] = (run, ring) => {
    const rings = this.#rings.get(run) ?? new Set()
    this.#rings.set(run, rings)
    // A separate function for each call, so that a function given twice is called twice and removed once.
    const own = () => ring()
    rings.add(own)
    return () => {
      rings.delete(own)
      if (rings.size === 0 && this.#rings.get(run) === rings) this.#rings.delete(run)
    }
  }

  onAnyGrowth: EventLog['onAnyGrowth'] = (ring) => {
    const own = (run: RunId) => ring(run)
    this.#ringsOfAny.add(own)
    return () => void this.#ringsOfAny.delete(own)
  }

  async close(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#sweep)
    await Promise.allSettled([...this.#runs.values()].map(({ opening }) => opening))
    for (const [run, entry] of this.#runs) this.#release(run, entry)
    await Promise.all(this.#closing.values())
  }

  #openNow(run: RunId): RunLog | null {
    const entry = this.#runs.get(run)
    if (!entry?.log) return null
    entry.usedAt = performance.now()
    return entry.log
  }

  async #with<Result>(run: RunId, use: (log: RunLog) => Promise<Result>): Promise<Result> {
    const entry = this.#runs.get(run) ?? this.#open(run)
    entry.users += 1
    entry.usedAt = performance.now()
    try {
      return await use(entry.log ?? (await entry.opening))
    } finally {
      entry.users -= 1
    }
  }

  #open(run: RunId): Entry {
    if (this.#stopped) throw stopping()
    const entry: Entry = { opening: this.#openAfterClosing(run), log: null, users: 0, usedAt: 0 }
    this.#runs.set(run, entry)
    entry.opening.then(
      (log) => {
        entry.log = log
        if (this.#runs.size > this.#openRunsMax) this.#releaseOldest()
      },
      () => this.#runs.delete(run),
    )
    return entry
  }

  async #openAfterClosing(run: RunId): Promise<RunLog> {
    // Two open logs of one run would both write to its file.
    await this.#closing.get(run)
    const { now = Date.now, tailBytes = 1024 * 1024, snapshotEvents = 1000 } = this.#options
    const verdict = this.#damaged.get(run)
    if (verdict && (await this.#stamps(run)) === verdict.stamps) throw verdict.fault
    this.#damaged.delete(run)
    try {
      return await openRunLog({
        ...this.#place(run),
        now,
        tailBytes,
        snapshotEvents,
        grew: () => this.#ring(run),
      })
    } catch (cause) {
      const stamps = cause instanceof DamagedLog ? await this.#stamps(run) : null
      if (cause instanceof DamagedLog && stamps !== null) this.#damaged.set(run, { fault: cause, stamps })
      if (cause instanceof Fault) throw cause
      throw new Fault('log.unavailable', 'the log of this run could not be opened: try again', { cause })
    }
  }

  /** A value that changes when a file of the log changes; null if that is unknown. */
  async #stamps(run: RunId): Promise<string | null> {
    const place = this.#place(run)
    const stamps = [logPath(place), headPath(place)].map((path) => place.disk.stamp?.(path))
    return Promise.all(stamps).then(JSON.stringify, () => null)
  }

  #place(run: RunId): LogPlace {
    const { dir: folder, disk, writeBytesMax = 8 * 1024 * 1024 } = this.#options
    return { disk, folder, run, report: this.#report, writeBytesMax }
  }

  #ring(run: RunId): void {
    for (const ring of [...(this.#rings.get(run) ?? []), ...this.#ringsOfAny]) {
      try {
        ring(run)
      } catch (cause) {
        this.#report({ run, err: cause }, 'a reader failed when the log grew')
      }
    }
  }

  #releaseIdle(): void {
    const before = performance.now() - this.#idleMs
    for (const [run, entry] of this.#runs) {
      if (isIdle(entry) && entry.usedAt < before) this.#release(run, entry)
    }
  }

  #releaseOldest(): void {
    const idle = [...this.#runs].filter(([, entry]) => isIdle(entry))
    idle.sort(([, a], [, b]) => a.usedAt - b.usedAt)
    // A few more than needed, so that the next run does not trigger this again.
    const excess = this.#runs.size - Math.ceil(this.#openRunsMax * 0.9)
    for (const [run, entry] of idle.slice(0, excess)) this.#release(run, entry)
  }

  #release(run: RunId, { log }: Entry): void {
    if (!log) return
    this.#runs.delete(run)
    const closed = log
      .close()
      .catch((cause) => this.#report({ run, err: cause }, 'a log could not be closed properly'))
      .finally(() => this.#closing.delete(run))
    this.#closing.set(run, closed)
  }
}

const isIdle = ({ log, users }: Entry) => log?.idle === true && users === 0

const stopping = () => new Fault('hub.stopping', 'the hub is stopping: try again soon')
