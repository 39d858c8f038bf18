import type { KeptVersion } from '@farhand/protocol/files/workspace-tree'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { Confirmation } from './confirmation.ts'
import { conflictsIn } from './conflicts.ts'
import type { DiskFolder, Seen } from './disk-folder.ts'
import { DiskReports } from './disk-reports.ts'
import { agreeAtFirstAttach, compareAtFirstAttach } from './first-attach.ts'
import type { HubFolder, Outgoing } from './hub-folder.ts'
import { Ledger } from './ledger.ts'
import { LogHints } from './log-hints.ts'
import type { Agreement, Memory, Remembered } from './memory.ts'
import { PendingQuestion } from './pending-question.ts'
import { Progress } from './progress.ts'
import { Receiving } from './receiving.ts'
import type { Wins } from './reconcile.ts'
import { RiskyChanges } from './risky-changes.ts'
import { Sending } from './sending.ts'
import type { Ask, SyncNote } from './sync-notes.ts'
import { realTiming, type Timing } from './timing.ts'
import { Trees } from './trees.ts'

/** After this many events and notes the whole memory is saved again, once there is nothing else to do. */
const changesPerSave = 5_000

export type FolderSyncOptions = {
  disk: DiskFolder
  hub: HubFolder
  memory: Memory
  wins: Wins
  /** The files that the run began with and its log does not name. */
  base?: Iterable<readonly [WorkspacePath, FileEntry]>
  on?: (note: SyncNote) => void
  ask: Ask
  /** Whether a file that appears after the first attach looks as if it held a secret. Without it no file does. */
  suspect?: (seen: Seen) => boolean
  timing?: Timing
  signal: AbortSignal
  /** Called once, first of all, with a function that resolves when every change made in the folder before its call is in the log. */
  onOpen?: (sent: () => Promise<void>) => void
}

/** How many changes of the folder are not in the run; null if the folder has not been scanned yet. */
export type Ended = { unsent: number | null }

/**
 * Keeps a folder and the files of a run the same, until the run is closed or the signal is aborted. Throws SyncStopped
 * when the user chose to stop or the folder is gone, a Refusal that waiting would not change, or an error of the disk that
 * cannot be retried. However it ends, what was agreed is saved, and the next call continues from there.
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
    // An error after an abort comes from the abort.
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
  readonly #riskyChanges: RiskyChanges
  readonly #sending: Sending
  readonly #receiving: Receiving
  readonly #pendingQuestion: PendingQuestion
  readonly #confirmation: Confirmation
  readonly #progress: Progress
  readonly #reports: DiskReports
  readonly #hasFound = (path: WorkspacePath) => this.#reports.hasFound(path)
  readonly #hints: LogHints
  readonly #waiting: { id: number; go: () => void }[] = []
  readonly #untilSent: (() => void)[] = []
  readonly #failed: Promise<never>
  #fail: (error: unknown) => void = () => {}
  readonly #onceLive: Promise<void>
  #caughtUp: () => void = () => {}
  #isLive = false
  #isFirst: boolean
  readonly #wasFirstAttach: boolean
  /** While the result of the first attach is being saved. */
  #isBeginning = false
  readonly #toldUpTo: number
  #unsaved = 0

  constructor(options: FolderSyncOptions, own: AbortController, remembered: Remembered | null) {
    const { timing = realTiming, on = () => {} } = options
    this.#options = options
    this.#own = own
    this.#isFirst = remembered === null
    this.#wasFirstAttach = remembered === null
    this.#hints = new LogHints(remembered)
    this.#toldUpTo = remembered?.witness?.id ?? 0
    this.#trees = new Trees(remembered, options.base)
    this.#ledger = new Ledger(this.#trees, options.wins, options.hub.author)
    this.#riskyChanges = new RiskyChanges(this.#ledger, options.wins, remembered?.position ?? null, () =>
      timing.now(),
    )
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
      aboutToSend: (outgoing: Outgoing) => this.#riskyChanges.aboutToSend(outgoing),
      reached: (id: number) => this.#reached(id),
      sizeOf: (hash: BlobHash) => this.#hints.sizeOf(hash),
      note: (agreements: Agreement[]) => this.#note(agreements),
      next: () => this.#step(),
      fail: (error: unknown) => this.#fail(error),
      signal: own.signal,
    }
    this.#sending = new Sending(parts)
    this.#receiving = new Receiving(parts)
    this.#pendingQuestion = new PendingQuestion({ ...parts, ask: options.ask })
    const { memory } = options
    this.#confirmation = new Confirmation({
      ...parts,
      memory,
      riskyChanges: this.#riskyChanges,
      pendingQuestion: this.#pendingQuestion,
    })
    this.#progress = new Progress({ ...parts, sending: this.#sending, receiving: this.#receiving })
    this.#reports = new DiskReports({
      ...parts,
      riskyChanges: this.#riskyChanges,
      sending: this.#sending,
      limit: () => this.#hints.maxFileBytes,
      // At the first attach the first look has just checked all files.
      suspect: options.suspect
        ? (seen) => !(this.#wasFirstAttach && !this.#reports.isComplete) && options.suspect!(seen)
        : null,
    })
  }

  async run(): Promise<Ended> {
    this.#options.onOpen?.(() => this.#sent())
    const { maxFileBytes } = this.#hints
    if (maxFileBytes !== null) this.#options.disk.limitSize(maxFileBytes)
    const log = this.#followLog()
    const disk = this.#followDisk()
    disk.catch(() => {})
    log.catch(() => {})
    const ended = await Promise.race([log, disk, this.#failed]).then(
      () => null,
      (error: unknown) => ({ error }),
    )
    this.#own.abort()
    this.#pendingQuestion.withdraw()
    // Report what ended the sync: a save that fails as well mostly fails for the same reason.
    // Before the log was caught up with, the notes on disk are ahead of the trees, and saving the trees would lose them.
    if (this.#isLive && !this.#isFirst)
      await this.#save().catch((error) => Promise.reject(ended?.error ?? error))
    // A write is refused with this code before the reader of the log sees the end of the run.
    if (ended && (ended.error as { code?: unknown }).code !== 'run.closed') throw ended.error
    return { unsent: this.#reports.isComplete ? this.#unsent : null }
  }

  get #unsent(): number {
    return this.#ledger.sendCount + this.#ledger.toKeep.size + this.#sending.underWay
  }

  async #sent(): Promise<void> {
    await this.#options.disk.quiet?.()
    if (!this.#reports.isComplete || this.#isFirst || this.#unsent > 0)
      await new Promise<void>((resolve) => this.#untilSent.push(resolve))
  }

  async #followLog(): Promise<void> {
    const { hub } = this.#options
    for await (const { events, live } of hub.follow(
      this.#trees.cursor,
      this.#own.signal,
      this.#hints.witness,
    )) {
      this.#note(events.flatMap((event) => this.#read(event)))
      if (live && !this.#isLive) await this.#becomeLive()
      this.#wake()
      this.#step()
    }
  }

  #read(event: SeenEvent): Agreement[] {
    const { hub, disk } = this.#options
    // A folder without memory has agreed on nothing, even if it wrote events before it lost its memory (S11).
    const isOurs = !this.#isFirst && hub.isOurs(event.by)
    const { touched, agreements, kept } = this.#ledger.read(event, isOurs, this.#hasFound)
    if (kept.length > 0) this.#tellConflicts(event, kept)
    this.#unsaved += 1
    const limit = this.#hints.take(event, touched.length > 0)
    if (limit !== null) disk.limitSize(limit)
    return agreements
  }

  #tellConflicts(event: SeenEvent, kept: readonly KeptVersion[]): void {
    const { hub, on } = this.#options
    // After a crash some events are read a second time; at the first attach no event is about this folder.
    if (!on || this.#isFirst || event.id <= this.#toldUpTo) return
    for (const conflict of conflictsIn(event, kept, this.#trees)) {
      const { lost, won } = conflict
      const here = hub.isOurs(lost) ? 'lost' : won && hub.isOurs(won) ? 'won' : null
      if (here) on({ is: 'conflict', here, ...conflict })
    }
  }

  async #becomeLive(): Promise<void> {
    const { disk } = this.#options
    // Before any report of the disk: it holds these files because an earlier process wrote them.
    const left = await disk.leftBehind()
    if (!this.#isFirst) this.#note(left.map(({ path, entry }) => this.#ledger.agree(path, entry)))
    disk.settled(0)
    for (const path of this.#trees.unsettled()) this.#ledger.touch(path)
    this.#isLive = true
    this.#caughtUp()
  }

  async #followDisk(): Promise<void> {
    // Reports are compared with what is agreed, and that changes until the log has been caught up with.
    await this.#onceLive
    for (;;) {
      await this.#reports.take(await this.#options.disk.next(this.#own.signal))
      this.#step()
      // Contents beyond the memory limit would be dropped here and read from the disk a second time.
      while (this.#ledger.disk.isFull && !this.#sending.isIdle) await this.#sending.arrival()
    }
  }

  #step(): void {
    if (!this.#isLive || this.#own.signal.aborted) return
    if (this.#isFirst) this.#firstAttach()
    else this.#work()
  }

  #work(): void {
    this.#note(this.#ledger.decide(this.#hasFound))
    const { isComplete } = this.#reports
    const waits = this.#confirmation.whatWaits(isComplete)
    if (!waits) return
    this.#sending.begin(waits)
    if (isComplete) this.#receiving.begin()
    if (isComplete && this.#unsent === 0) for (const go of this.#untilSent.splice(0)) go()
    if (!this.#progress.tell(isComplete)) return
    this.#hints.forgetSizes()
    if (this.#unsaved > changesPerSave) this.#save().catch(this.#fail)
  }

  /** The first time, the user says which side counts, unless one side has no files (S11). */
  #firstAttach(): void {
    if (this.#pendingQuestion.kind || this.#isBeginning) return
    const found = compareAtFirstAttach(this.#ledger, this.#reports.isComplete)
    if (found === 'too early') return
    const agreeOn = (answer: 'mine' | 'theirs' | 'unasked') => {
      agreeAtFirstAttach(this.#ledger, answer)
      this.#begin()
    }
    if (found.question) this.#pendingQuestion.ask(found.question, agreeOn)
    else agreeOn('unasked')
  }

  /** Saves before anything is sent or written: after a crash the folder has to know that it was attached to this run. */
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
    // Notes without a saved whole would look as if the folder had been attached.
    if (this.#isFirst) return
    this.#options.memory.note({ agreements, witness: this.#hints.witness })
  }

  #save(): Promise<void> {
    this.#unsaved = 0
    return this.#options.memory.save({
      ...this.#trees.rows(),
      position: this.#riskyChanges.position,
      maxFileBytes: this.#hints.maxFileBytes,
      witness: this.#hints.witness,
    })
  }
}
