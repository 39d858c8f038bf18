import type { Witness } from '@farhand/client/follow/witness'
import { isEvent } from '@farhand/protocol/events/event-names'
import type { KeptVersion } from '@farhand/protocol/files/workspace-tree'
import type { FileEntry } from '@farhand/protocol/methods/files'
import { SyncSettings } from '@farhand/protocol/methods/settings'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { conflictsIn } from './conflicts.ts'
import { Consent } from './consent.ts'
import type { DiskFolder, Seen } from './disk-folder.ts'
import { DiskNews } from './disk-news.ts'
import { Doubts } from './doubts.ts'
import type { HubFolder, Outgoing } from './hub-folder.ts'
import { Ledger } from './ledger.ts'
import { begin, meet } from './meet.ts'
import type { Agreement, Memory, Remembered } from './memory.ts'
import { Asking } from './pending-question.ts'
import { Progress } from './progress.ts'
import { Taking } from './receiving.ts'
import type { Wins } from './reconcile.ts'
import { Sending } from './sending.ts'
import { sizesSaid } from './sizes-in-event.ts'
import type { Ask, SyncNote } from './sync-notes.ts'
import { realTiming, type Timing } from './timing.ts'
import { Trees } from './trees.ts'

/** After so many events or notes everything is written down anew, once there is nothing else to do. */
const changesPerSave = 5_000

export type FolderSyncOptions = {
  disk: DiskFolder
  hub: HubFolder
  memory: Memory
  wins: Wins
  /** What the run began with and its log does not say. */
  base?: Iterable<readonly [WorkspacePath, FileEntry]>
  on?: (note: SyncNote) => void
  ask: Ask
  /** Whether a file that appears after folder and run have met looks as if it held a secret. None does, without it. */
  suspect?: (seen: Seen) => boolean
  timing?: Timing
  signal: AbortSignal
  /** Given once, before anything else: resolves when all that was done in the folder before it was called is in the log. */
  onOpen?: (sent: () => Promise<void>) => void
}

/** How much of what is here is not in the run; null if nobody has looked yet. */
export type Ended = { unsent: number | null }

/**
 * Keeps a folder and the files of a run the same, until the run is closed or the signal says stop. Throws SyncStopped
 * when a person chose to stop or the folder is gone, a Refusal that waiting would not change, or what the disk cannot
 * recover from. However it ends, what was agreed is remembered, and the next life goes on from there.
 */
export async function syncFolder(options: FolderSyncOptions): Promise<Ended> {
  const own = new AbortController()
  const stop = () => own.abort(options.signal.reason)
  options.signal.addEventListener('abort', stop, { once: true })
  if (options.signal.aborted) stop()
  try {
    const remembered = await options.memory.load()
    return await new FolderSync(options, own, remembered).run()
  } catch (error) {
    // Being asked to stop is no failure, whatever was interrupted by it.
    if (!options.signal.aborted) throw error
    return { unsent: null }
  } finally {
    options.signal.removeEventListener('abort', stop)
    own.abort()
  }
}

class FolderSync {
  readonly #options: FolderSyncOptions
  readonly #own: AbortController
  readonly #trees: Trees
  readonly #ledger: Ledger
  readonly #doubts: Doubts
  readonly #sending: Sending
  readonly #taking: Taking
  readonly #asking: Asking
  readonly #consent: Consent
  readonly #progress: Progress
  readonly #news: DiskNews
  readonly #hasFound = (path: WorkspacePath) => this.#news.hasFound(path)
  readonly #sizes = new Map<BlobHash, number>()
  readonly #waiting: { id: number; go: () => void }[] = []
  readonly #untilSent: (() => void)[] = []
  readonly #failed: Promise<never>
  #fail: (error: unknown) => void = () => {}
  readonly #onceLive: Promise<void>
  #caughtUp: () => void = () => {}
  #isLive = false
  #isFirst: boolean
  readonly #isFirstLife: boolean
  /** While what was settled at the first meeting is written down. */
  #isBeginning = false
  #maxFileBytes: number | null
  #witness: Witness | null
  readonly #toldUpTo: number
  #unsaved = 0

  constructor(options: FolderSyncOptions, own: AbortController, remembered: Remembered | null) {
    const { timing = realTiming, on = () => {} } = options
    this.#options = options
    this.#own = own
    this.#isFirst = remembered === null
    this.#isFirstLife = remembered === null
    this.#maxFileBytes = remembered?.maxFileBytes ?? null
    this.#witness = remembered?.witness ?? null
    this.#toldUpTo = remembered?.witness?.id ?? 0
    this.#trees = new Trees(remembered, options.base)
    this.#ledger = new Ledger(this.#trees, options.wins, options.hub.author)
    this.#doubts = new Doubts(this.#ledger, options.wins, remembered?.position ?? null, () => timing.now())
    this.#onceLive = new Promise((resolve) => {
      this.#caughtUp = resolve
    })
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject
    })
    this.#failed.catch(() => {})
    const parts = {
      disk: options.disk,
      hub: options.hub,
      ledger: this.#ledger,
      timing,
      on,
      moved: () => this.#progress.moved(),
      letGo: (outgoing: Outgoing) => this.#doubts.letGo(outgoing),
      reached: (id: number) => this.#reached(id),
      sizeOf: (hash: BlobHash) => this.#sizes.get(hash),
      note: (agreements: Agreement[]) => this.#note(agreements),
      next: () => this.#step(),
      fail: (error: unknown) => this.#fail(error),
      signal: own.signal,
    }
    this.#sending = new Sending(parts)
    this.#taking = new Taking(parts)
    this.#asking = new Asking({ ...parts, ask: options.ask })
    const { memory } = options
    this.#consent = new Consent({ ...parts, memory, doubts: this.#doubts, asking: this.#asking })
    this.#progress = new Progress({ ...parts, sending: this.#sending, taking: this.#taking })
    this.#news = new DiskNews({
      ...parts,
      doubts: this.#doubts,
      sending: this.#sending,
      limit: () => this.#maxFileBytes,
      // At the first meeting everything has just been looked at.
      suspect: options.suspect
        ? (seen) => !(this.#isFirstLife && !this.#news.isComplete) && options.suspect!(seen)
        : null,
    })
  }

  async run(): Promise<Ended> {
    this.#options.onOpen?.(() => this.#sent())
    if (this.#maxFileBytes !== null) this.#options.disk.limitSize(this.#maxFileBytes)
    const log = this.#followLog()
    const disk = this.#followDisk()
    disk.catch(() => {})
    log.catch(() => {})
    const ended = await Promise.race([log, disk, this.#failed]).then(
      () => null,
      (error: unknown) => ({ error }),
    )
    this.#own.abort()
    this.#asking.withdraw()
    // What ended it is the news; that it could not be written down as well is mostly the same trouble.
    // Before the log was caught up with, what was noted is ahead of the trees, and saving these would lose it.
    if (this.#isLive && !this.#isFirst)
      await this.#save().catch((error) => Promise.reject(ended?.error ?? error))
    // Whoever was about to send hears of it before the reader does.
    if (ended && (ended.error as { code?: unknown }).code !== 'run.closed') throw ended.error
    return { unsent: this.#news.isComplete ? this.#unsent : null }
  }

  get #unsent(): number {
    return this.#ledger.sendCount + this.#ledger.toKeep.size + this.#sending.underWay
  }

  async #sent(): Promise<void> {
    await this.#options.disk.quiet?.()
    if (!this.#news.isComplete || this.#isFirst || this.#unsent > 0)
      await new Promise<void>((resolve) => this.#untilSent.push(resolve))
  }

  async #followLog(): Promise<void> {
    const { hub } = this.#options
    for await (const { events, live } of hub.follow(this.#trees.cursor, this.#own.signal, this.#witness)) {
      this.#note(events.flatMap((event) => this.#read(event)))
      if (live && !this.#isLive) await this.#becomeLive()
      this.#wake()
      this.#step()
    }
  }

  #read(event: SeenEvent): Agreement[] {
    const { hub, disk } = this.#options
    // Whoever remembers nothing has agreed on nothing, whatever it wrote in a life it has forgotten (S11).
    const isOurs = !this.#isFirst && hub.isOurs(event.by)
    const { touched, agreements, kept } = this.#ledger.read(event, isOurs, this.#hasFound)
    if (kept.length > 0) this.#tellConflicts(event, kept)
    this.#unsaved += 1
    if (event.id >= (this.#witness?.id ?? 0)) this.#witness = { id: event.id, timestamp: event.timestamp }
    if (touched.length > 0)
      for (const [hash, size] of sizesSaid(event.notification)) this.#sizes.set(hash, size)
    if (isEvent(event.notification, 'sync_settings')) {
      const { data } = SyncSettings.safeParse(event.notification.params)
      if (data?.maxFileBytes !== undefined) {
        this.#maxFileBytes = data.maxFileBytes
        disk.limitSize(data.maxFileBytes)
      }
    }
    return agreements
  }

  #tellConflicts(event: SeenEvent, kept: readonly KeptVersion[]): void {
    const { hub, on } = this.#options
    // After a crash some events are read a second time, and at a first meeting nothing of it is about this folder.
    if (!on || this.#isFirst || event.id <= this.#toldUpTo) return
    for (const conflict of conflictsIn(event, kept, this.#trees)) {
      const { lost, won } = conflict
      const here = hub.isOurs(lost) ? 'lost' : won && hub.isOurs(won) ? 'won' : null
      if (here) on({ is: 'conflict', here, ...conflict })
    }
  }

  async #becomeLive(): Promise<void> {
    const { disk } = this.#options
    // Before anything the disk reports: it holds these because an earlier life put them there.
    const left = await disk.leftBehind()
    if (!this.#isFirst) this.#note(left.map(({ path, entry }) => this.#ledger.agree(path, entry)))
    disk.settled(0)
    for (const path of this.#trees.unsettled()) this.#ledger.touch(path)
    this.#isLive = true
    this.#caughtUp()
  }

  async #followDisk(): Promise<void> {
    // What is agreed moves while the log is caught up with; a report is judged by what is agreed.
    await this.#onceLive
    for (;;) {
      await this.#news.hear(await this.#options.disk.next(this.#own.signal))
      this.#step()
      // Whoever reads faster than the hub listens would have to read everything twice.
      while (this.#ledger.disk.isFull && !this.#sending.isIdle) await this.#sending.arrival()
    }
  }

  #step(): void {
    if (!this.#isLive || this.#own.signal.aborted) return
    if (this.#isFirst) this.#meet()
    else this.#work()
  }

  #work(): void {
    this.#note(this.#ledger.decide(this.#hasFound))
    const { isComplete } = this.#news
    const waits = this.#consent.whatWaits(isComplete)
    if (!waits) return
    this.#sending.begin(waits)
    if (isComplete) this.#taking.begin()
    if (isComplete && this.#unsent === 0) for (const go of this.#untilSent.splice(0)) go()
    if (!this.#progress.tell(isComplete)) return
    this.#sizes.clear()
    if (this.#unsaved > changesPerSave) this.#save().catch(this.#fail)
  }

  /** The first time, a person says which side counts, unless one of them has nothing (S11). */
  #meet(): void {
    if (this.#asking.about || this.#isBeginning) return
    const met = meet(this.#ledger, this.#news.isComplete)
    if (met === 'too early') return
    const agreeOn = (answer: 'mine' | 'theirs' | 'unasked') => {
      begin(this.#ledger, answer)
      this.#begin()
    }
    if (met.question) this.#asking.ask(met.question, agreeOn)
    else agreeOn('unasked')
  }

  /** Nothing is sent or written before this folder would remember, after a crash, that it has met this run. */
  #begin(): void {
    this.#isBeginning = true
    this.#save().then(() => {
      this.#isFirst = false
      this.#isBeginning = false
      this.#step()
    }, this.#fail)
  }

  #reached(id: number): Promise<void> {
    if (this.#trees.cursor >= id) return Promise.resolve()
    return new Promise((go) => this.#waiting.push({ id, go }))
  }

  #wake(): void {
    for (let at = this.#waiting.length - 1; at >= 0; at -= 1) {
      if (this.#waiting[at]!.id <= this.#trees.cursor) this.#waiting.splice(at, 1)[0]!.go()
    }
  }

  #note(agreements: Agreement[]): void {
    if (agreements.length === 0) return
    this.#unsaved += agreements.length
    // Notes without a whole would look as if folder and run had met.
    if (this.#isFirst) return
    this.#options.memory.note({ agreements, witness: this.#witness })
  }

  #save(): Promise<void> {
    this.#unsaved = 0
    return this.#options.memory.save({
      ...this.#trees.rows(),
      position: this.#doubts.position,
      maxFileBytes: this.#maxFileBytes,
      witness: this.#witness,
    })
  }
}
