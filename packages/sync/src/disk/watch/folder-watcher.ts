import { join } from 'node:path'
import process from 'node:process'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { DiskReport, Looked, Rescued, SkipReason } from '../../engine/disk-folder.ts'
import { gitPosition } from '../git/git-position.ts'
import { TrackedFiles } from '../git/tracked-files.ts'
import { loadKnown, saveKnown } from '../index/hash-cache.ts'
import { KnownFiles } from '../index/known-files.ts'
import type { PackedSeen } from '../report/packed-seen.ts'
import { PendingReport } from '../report/pending-report.ts'
import { IgnoreRules } from '../rules/ignore-rules.ts'
import { repositoryAround } from '../rules/repository-around.ts'
import { WithheldFiles } from '../rules/withheld-files.ts'
import { lookNow } from '../scan/look-now.ts'
import { Scan } from '../scan/scan.ts'
import { SystemWatches } from '../scan/system-watches.ts'
import { RootFolder } from '../workspace/root-folder.ts'
import { GitWatch } from './git-watch.ts'
import { HoldBack } from './hold-back.ts'
import { Rescans } from './rescans.ts'

const sliceMs = 10
const mostReportsUnderWay = 3
const gitRetryMs = 20
const gitAtMostMs = 10_000
const progressMs = 50
const saveEveryMs = 60_000
/** A second look that is due later than this is one at something that does not come to rest. */
const soonMs = 100

export type FolderWatcherOptions = {
  root: string
  /** The folder for what is remembered from one process to the next. */
  state: string
  maxFileBytes: number
  /** Paths that are not synced from here, even if rules in the folder say otherwise. */
  leftOut?: readonly string[]
  /**
   * Where it is remembered what the user has decided about this folder: on a user's device, which holds back what a rule
   * of the run would include. Without it nothing is held back.
   */
  decisions?: string
  /** The user's ignore file for all of their repositories. */
  excludes?: string
  /** Whether changes wait until git has finished its current command (S14). */
  holdForGit?: boolean
  /** Whether folders may become what git takes for repositories: only where nothing but the run itself works. */
  mayMakeRepositories?: boolean
  /** For tests: as if the system allowed no more watches than this. */
  mostWatches?: number
  /** For tests: how long a file that was emptied is not shown. */
  emptiedMs?: number
  /** For tests: as on systems where one watch sees everything below. */
  recursive?: boolean
}

/** A report, with its paths packed for the way to another thread. */
export type PackedReport = Omit<DiskReport, 'seen'> & { packed: PackedSeen }

/** What else a report says besides paths: a change of this is reported even if no path has changed. */
type Status = Pick<PackedReport, 'scanned' | 'position' | 'root' | 'blind'>

/**
 * Watches a folder and reports what changes in it, working in time slices that leave room for other work of the thread.
 * No more than three reports are on their way at once: `dealt` says that one has arrived and been dealt with.
 */
export class FolderWatcher {
  readonly known = new KnownFiles()
  readonly holdBack: HoldBack
  readonly #options: FolderWatcherOptions
  readonly #send: (report: PackedReport) => void
  readonly #root: RootFolder
  readonly #watch: SystemWatches
  readonly #git: GitWatch
  readonly #rules: IgnoreRules
  readonly #withheld: WithheldFiles
  readonly #pending = new PendingReport()
  readonly #scan: Scan
  readonly #rescans: Rescans
  readonly #saving: NodeJS.Timeout
  readonly #rescued: Rescued[] = []
  readonly #untilQuiet: (() => void)[] = []
  #reportsAllowed = mostReportsUnderWay
  #lastStatus: Status = { scanned: false, position: null }
  #reportedAtMs = performance.now()
  #scanned = false
  #isTurnDue = false
  #timer: NodeJS.Timeout | null = null
  #gitBusySinceMs: number | null = null
  #unsaved = false
  #hasGitMoved = true
  #closed = false

  /** Begins to watch and to scan. Throws the error of the system if there is no such folder. */
  constructor(options: FolderWatcherOptions, send: (report: PackedReport) => void) {
    this.#options = options
    this.#send = send
    this.#root = new RootFolder(options.root, this.known)
    const tracked = new TrackedFiles(() => repositoryAround(options.root))
    this.#rules = new IgnoreRules(tracked, options.leftOut)
    this.#withheld = new WithheldFiles(options.decisions ?? null)
    this.#watch = new SystemWatches({
      place: (folder) => this.#root.place(folder),
      hint: (folder, name, isWrite) => this.#hint(folder, name, isWrite),
      moved: (folder) => (folder === '' ? this.#hint('', null) : this.recheck(folder)),
      recursive: options.recursive ?? process.platform !== 'linux',
      most: options.mostWatches,
    })
    this.#scan = new Scan({
      root: this.#root,
      watch: this.#watch,
      rules: this.#rules,
      withheld: this.#withheld,
      pending: this.#pending,
      known: this.known,
      before: loadKnown(this.#cacheFile),
      maxFileBytes: options.maxFileBytes,
      emptiedMs: options.emptiedMs,
    })
    this.holdBack = new HoldBack({
      root: this.#root,
      rules: this.#rules,
      withheld: this.#withheld,
      scan: this.#scan,
      excludes: options.excludes,
      recheck: (path, force) => this.recheck(path, force),
    })
    this.#rescans = new Rescans(() => this.#rescan())
    this.#git = new GitWatch(
      () => repositoryAround(options.root),
      this.#rules,
      tracked,
      (rulesChanged) => {
        if (rulesChanged) this.#scan.reconsider('')
        this.#hasGitMoved = true
        this.#wake()
      },
      options.excludes,
    )
    this.#saving = setInterval(() => this.#save(), saveEveryMs)
    this.#git.refresh()
    this.#scan.listAll()
    this.#wake()
  }

  /** The last report has been handled. */
  reportHandled(): void {
    this.#reportsAllowed++
    this.#wake()
  }

  /** This path is looked at as soon as possible; `force` reports what is there even if it was reported before. */
  recheck(path: string, force = false): void {
    this.#scan.recheck(path, force)
    this.#wake()
  }

  /** Resolves when every change made before this call has been reported and handled, except for files that never stop changing. */
  quiet(): Promise<void> {
    return new Promise((resolve) => {
      // Pending events of the system are handled first: they come between two of these.
      setImmediate(() =>
        setImmediate(() => {
          this.#untilQuiet.push(resolve)
          if (this.#closed) resolve()
          this.#wake()
        }),
      )
    })
  }

  /** Holds back files that look like secrets; returns which of these it does. */
  withhold(paths: readonly WorkspacePath[]): WorkspacePath[] {
    const held = this.holdBack.holdSecrets(paths)
    this.#wake()
    return held
  }

  /** We wrote this ourselves: what was found here before and not yet reported is outdated (S7). */
  wrote(path: string): void {
    this.#pending.drop(path)
    this.#withheld.forget([path])
    this.#scan.wrote(path)
    this.#unsaved = true
  }

  /** The engine could not write this path: it gets a report when that may have changed. */
  refused(path: string): void {
    this.#scan.refused.add(path)
    this.#wake()
  }

  /** Rescued versions, which go out with the next report (S4). */
  rescued(versions: Rescued[]): void {
    if (versions.length === 0) return
    this.#rescued.push(...versions)
    this.#wake()
  }

  /** Why a path is not synced, by the rules or by what was last seen there; null if it is. */
  skipReason(path: string): SkipReason | null {
    return this.#scan.skipReason(path)
  }

  place(path: string): string {
    return this.#root.place(path)
  }

  /** What these paths are at this moment; `withContent` reads small files even if they are known. */
  async look(paths: readonly string[], withContent = false): Promise<Looked[]> {
    const looked: Looked[] = []
    let untilMs = performance.now() + sliceMs
    this.#root.forget()
    for (const path of paths) {
      const looking = lookNow(path, this.#root, this.#scan, withContent)
      let step = looking.next()
      while (!step.done) {
        step = looking.next()
        if (performance.now() < untilMs) continue
        await new Promise((resolve) => setImmediate(resolve))
        this.#root.forget()
        untilMs = performance.now() + sliceMs
      }
      looked.push(step.value)
    }
    return looked
  }

  limitSize(bytes: number): void {
    this.#scan.limitSize(bytes)
    this.#wake()
  }

  close(): void {
    this.#closed = true
    for (const go of this.#untilQuiet.splice(0)) go()
    clearInterval(this.#saving)
    if (this.#timer) clearTimeout(this.#timer)
    this.#rescans.close()
    this.#git.close()
    this.#withheld.close()
    this.#watch.drop('')
    this.#save()
  }

  get #cacheFile(): string {
    return join(this.#options.state, 'disk-cache')
  }

  #hint(folder: string, name: string | null, isWrite = false): void {
    this.#rescans.hinted()
    this.#scan.hint(folder, name, isWrite)
    this.#wake()
  }

  // Not at once: the system tells many events in a row, and most of them are about the same file.
  #wake(): void {
    if (this.#isTurnDue || this.#closed) return
    this.#isTurnDue = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isTurnDue = false
    if (this.#closed) return
    const startMs = performance.now()
    const wasAway = this.#root.trouble !== null
    this.#root.forget()
    if (this.#root.isReal('') && wasAway) this.#rescan()
    this.#scan.work(() => performance.now(), startMs + sliceMs)
    this.#rescans.worked(performance.now() - startMs, this.#scan.isBusy, this.#watch.blind !== null)
    if (!this.#scanned && this.#scan.isComplete) {
      this.#scanned = true
      this.#scan.foundAll()
    }
    this.#report()
    const isStuck = this.#pending.isFull
    if (this.#scan.isBusy && !isStuck) this.#wake()
    else this.#wakeAt(Math.min(this.#scan.nextMs, this.#holdUntilMs))
    if (this.#isQuiet) for (const go of this.#untilQuiet.splice(0)) go()
  }

  get #isQuiet(): boolean {
    if (!this.#scanned || this.#scan.isBusy || this.#scan.nextMs < Date.now() + soonMs) return false
    return this.#pending.isEmpty && this.#rescued.length === 0 && this.#reportsAllowed === mostReportsUnderWay
  }

  #wakeAt(atMs: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    // A root folder that went away may come back without an event.
    const latest = this.#root.trouble ? Date.now() + 1000 : Number.POSITIVE_INFINITY
    const dueMs = Math.min(atMs, latest)
    if (dueMs === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(() => this.#turn(), Math.max(dueMs - Date.now(), 1))
  }

  get #holdUntilMs(): number {
    if (this.#pending.isEmpty || this.#reportsAllowed === 0) return Number.POSITIVE_INFINITY
    if (this.#gitBusySinceMs !== null) return Date.now() + gitRetryMs
    // Also when that time has come since the report was held back: nothing else would wake it.
    return this.#scan.holdUntilMs(Date.now())
  }

  #report(): void {
    if (this.#reportsAllowed === 0) return
    const isHeld = Date.now() < this.#scan.holdUntilMs(Date.now()) && !this.#pending.isFull
    const hasNews = (!this.#pending.isEmpty && !isHeld) || this.#rescued.length > 0
    // While there is much to find it comes in large portions.
    if (!this.#scanned && !this.#pending.isFull && performance.now() - this.#reportedAtMs < progressMs) return
    if (!hasNews && !this.#hasGitMoved && !this.#isStatusNew(this.#status(this.#lastStatus.position))) return
    const { position, busy } = gitPosition(this.#options.root)
    this.#hasGitMoved = false
    if (!hasNews && !this.#isStatusNew(this.#status(position))) return
    if (busy && hasNews && this.#options.holdForGit && this.#scanned) {
      this.#gitBusySinceMs ??= Date.now()
      if (Date.now() - this.#gitBusySinceMs < gitAtMostMs) return
    } else this.#gitBusySinceMs = null
    this.#reportsAllowed--
    this.#reportedAtMs = performance.now()
    this.#unsaved = true
    this.#lastStatus = this.#status(position)
    const rescued = this.#rescued.splice(0)
    this.#send({
      ...this.#pending.take(),
      ...(rescued.length > 0 ? { rescued } : {}),
      ...this.#lastStatus,
      found: { ...this.#scan.found },
    })
  }

  #status(position: string | null): Status {
    const { trouble } = this.#root
    const { blind } = this.#watch
    return {
      scanned: this.#scanned,
      position,
      ...(trouble ? { root: trouble } : {}),
      ...(blind ? { blind } : {}),
    }
  }

  #isStatusNew({ scanned, position, root, blind }: Status): boolean {
    const { scanned: before, ...said } = this.#lastStatus
    if (scanned !== before || root !== said.root || blind !== said.blind) return true
    return scanned && position !== said.position
  }

  #rescan(): void {
    this.#watch.blind = null
    if (this.#git.refresh()) this.#scan.reconsider('')
    this.#scan.listAll()
    this.#wake()
  }

  #save(): void {
    if (!this.#unsaved || !this.#scanned || this.#root.trouble) return
    this.#unsaved = false
    try {
      saveKnown(this.#cacheFile, this.known)
    } catch {
      // It only saves the next process some hashing.
    }
  }
}
