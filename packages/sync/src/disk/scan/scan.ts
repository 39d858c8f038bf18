import type { Stats } from 'node:fs'
import { pathProblem } from '@farhand/protocol/wire/path-problem'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { SkipReason } from '../../engine/disk-folder.ts'
import { beginsWith } from '../content/reading.ts'
import { isRacy, stampOf } from '../index/file-stamp.ts'
import type { KnownFiles } from '../index/known-files.ts'
import type { PendingReport } from '../report/pending-report.ts'
import { Exclusions } from '../rules/exclusions.ts'
import type { IgnoreRules } from '../rules/ignore-rules.ts'
import type { WithheldWhy } from '../rules/withheld-files.ts'
import { nameOf, parentOf, pathIn } from '../workspace/path-parts.ts'
import type { RootFolder } from '../workspace/root-folder.ts'
import { FileReads } from './file-reads.ts'
import { GonePaths } from './gone-paths.ts'
import { isTemporary } from './is-temporary.ts'
import { listFolder, namesMissing, statsAt } from './list-folder.ts'
import { PathQueue } from './path-queue.ts'
import { ReadSchedule } from './read-schedule.ts'
import { RefusedPaths } from './refused-paths.ts'
import type { Found, Listing, ScanParts } from './scan-parts.ts'
import { ScanResults } from './scan-results.ts'
import { SkippedPaths, whyUnsyncable } from './skipped-paths.ts'
import type { SystemWatches } from './system-watches.ts'
import { WriteWaits } from './write-waits.ts'

const halfReadMs = 1_000

/**
 * Looks at paths and folders, piece by piece, and puts what is new into the pending report. What it has reported is in `known`;
 * what is the same as that is not reported again (S7).
 */
export class Scan {
  readonly known: KnownFiles
  maxFileBytes: number
  /** Paths that the engine could not write. */
  readonly refused: RefusedPaths
  readonly #root: RootFolder
  readonly #watch: SystemWatches
  readonly #rules: IgnoreRules
  readonly exclusions: Exclusions
  readonly #pending: PendingReport
  readonly #soon = new PathQueue()
  readonly #folders = new PathQueue()
  readonly #skips: SkippedPaths
  readonly #gone: GonePaths
  readonly #schedule: ReadSchedule
  readonly #reads: FileReads
  readonly #results: ScanResults
  #listing: Listing | null = null

  constructor(parts: ScanParts) {
    this.#root = parts.root
    this.#watch = parts.watch
    this.#rules = parts.rules
    this.#pending = parts.pending
    this.#skips = new SkippedPaths(parts.pending)
    this.#gone = new GonePaths(parts.known, this.#skips)
    this.exclusions = new Exclusions(parts.root, parts.rules, parts.withheld)
    this.refused = new RefusedPaths(parts.root, this.exclusions, (path) => this.recheck(path, true))
    const waits = new WriteWaits(parts.emptiedMs)
    this.#schedule = new ReadSchedule(waits)
    const results = new ScanResults({
      ...parts,
      skips: this.#skips,
      gone: this.#gone,
      schedule: this.#schedule,
    })
    this.#results = results
    this.#reads = new FileReads({
      pending: parts.pending,
      waits,
      was: (path) => this.known.get(path)?.entry.hash,
      took: (path, stats, nowMs, whole, costMs) => {
        results.present(path, stats, nowMs, whole, costMs)
        // It changed while it was read, again and again: what was read may be half of it, and the writer may be done by now.
        if (!whole.unchanged) this.#schedule.later(path, Date.now() + halfReadMs)
      },
      recheck: (path, atMs) => this.#schedule.later(path, atMs),
      unreadable: (path) => results.skip(path, 'unreadable'),
    })
    this.known = parts.known
    this.maxFileBytes = parts.maxFileBytes
  }

  /** A name in a folder is to be looked at, as soon as possible. */
  hint(folder: string, name: string | null, isWrite = false): void {
    const path = name === null ? null : this.#pathOf(folder, name)
    if (name === null) this.#folders.add(folder)
    else if (path !== null) {
      this.#soon.add(path)
      if (isWrite) this.#written(path)
    }
  }

  // Told when a write ends; times were set when it began, so what was read in between has the stamp of what is there.
  #written(path: string): void {
    this.known.distrust(path as WorkspacePath)
    this.#reads.written(path)
  }

  /** A path is to be looked at; `force` reports what is there even if it was reported before. */
  recheck(path: string, force = false): void {
    if (force) this.#results.force(path)
    this.#soon.add(path)
  }

  /** We wrote this ourselves: what was being read there is what it was before. */
  wrote(path: string): void {
    this.#reads.drop(path)
  }

  /** Everything is to be looked at. */
  listAll(): void {
    for (const path of this.#results.forced()) this.#soon.add(path)
    this.#folders.add('')
  }

  /** Whether no watch tells of changes. */
  get isBlind(): boolean {
    return this.#watch.blind !== null
  }

  /** What the first scan has found so far. */
  get found(): Readonly<Found> {
    return this.#results.found
  }

  /** Everything has been found once: what an earlier process knew is not needed any more. */
  foundAll(): void {
    this.#results.before = null
  }

  /** Why a path is not synced, by the rules or by what was last seen there; null if it is. */
  skipReason(path: string): SkipReason | null {
    return this.#skips.get(path) ?? this.exclusions.why(path)
  }

  /** These wait for the user's consent from now on, though they may have been seen before. */
  withhold(paths: readonly string[], why: WithheldWhy): void {
    for (const path of paths) this.#results.skip(path, why)
  }

  /** Files over this size are skipped from now on; smaller ones that were skipped are synced. */
  limitSize(bytes: number): void {
    this.maxFileBytes = bytes
    for (const path of [...this.known.below('')]) {
      const { size } = this.known.get(path)!
      if (size > bytes) this.#results.skip(path, 'too-large', size)
    }
    for (const path of this.#skips.because('too-large')) this.#soon.add(path)
    this.#reads.doubtIf((_, size) => size > bytes)
  }

  /** Whether there is something to do at once. */
  get isBusy(): boolean {
    if (this.#listing || this.#reads.isBusy) return true
    return this.#soon.size > 0 || this.#folders.size > 0 || this.#schedule.hasLarge
  }

  /** Whether everything that is there has been found, apart from what changes right now. */
  get isComplete(): boolean {
    if (this.isBusy) return false
    for (const path of this.#schedule.waiting())
      if (!this.known.has(path as WorkspacePath) && !isTemporary(path)) return false
    return true
  }

  /** Until when no report should be sent, because the other half of a move is about to be found. */
  holdUntilMs(nowMs: number): number {
    return this.#gone.holdUntilMs(nowMs, this.isBusy)
  }

  /** When there is something to do again. */
  get nextMs(): number {
    return Math.min(this.#schedule.nextMs, this.#gone.nextMs, this.#skips.nextMs)
  }

  /** Works until this time has come, there is nothing more to do, or the pending report is full. */
  work(now: () => number, untilMs: number): void {
    const nowMs = Date.now()
    for (const path of this.#schedule.take(nowMs)) this.#soon.add(path)
    for (const path of this.#gone.take(nowMs)) this.#confirmGone(path)
    this.#skips.work(nowMs)
    while (!this.#pending.isFull) {
      if (!this.#workOnce() || now() >= untilMs) break
    }
    if (!this.isBusy) this.#gone.rest()
  }

  /** Small things first: a user's edit never waits for a scan or for a large file. */
  #workOnce(): boolean {
    const path = this.#soon.take()
    if (path !== undefined) this.#look(path)
    else if (this.#reads.isBusy) this.#reads.readOn()
    else if (this.#schedule.hasLarge) this.#look(this.#schedule.takeLarge()!, true)
    else if (this.#listing) this.#listOn(this.#listing)
    else if (this.#folders.size > 0) this.#beginListing(this.#folders.take()!)
    else return false
    return true
  }

  #beginListing(folder: string): void {
    if (this.exclusions.hubData.hold(folder)) return
    const names = listFolder(this.#root, this.#watch, folder)
    if (names === 'missing') {
      if (folder !== '') this.#soon.add(folder)
      return
    }
    if (names === 'unreadable') {
      this.#exclude(folder, 'unreadable')
      return
    }
    if (this.#turned(folder, this.exclusions.hubData.listed(folder, names))) return
    this.#listing = { folder, names, at: 0 }
    this.#skips.delete(folder || '.')
    if (this.exclusions.readAll(folder, names)) this.reconsider(folder)
  }

  /** Says whether a hub has the folder now. */
  #turned(folder: string, turned: 'hubs' | 'free' | null): boolean {
    if (turned === 'hubs') this.#exclude(folder, 'hub-data')
    else if (turned === 'free') {
      this.refused.ruled()
      this.#folders.add(folder)
    }
    return turned === 'hubs'
  }

  #listOn(listing: Listing): void {
    const { folder, names } = listing
    const end = Math.min(listing.at + 16, names.length)
    const place = this.#root.place(folder)
    while (listing.at < end && !this.#pending.isFull) {
      const name = names[listing.at++]!
      const path = this.#pathOf(folder, name)
      if (path === null) continue
      if (this.#root.isReal(folder)) this.#lookAt(path, folder, `${place}/${name}`, true)
      else if (folder !== '') this.#soon.add(folder)
    }
    if (listing.at < names.length) return
    this.#listing = null
    this.refused.listed(folder)
    for (const name of namesMissing(names, this.#watch.below(folder), this.known.folder(folder)))
      this.#missing(pathIn(folder, name))
  }

  /** The rules for what is in this folder have changed: what is ignored now is left, what no longer is is found. */
  reconsider(folder: string): void {
    for (const path of [...this.known.below(folder)]) {
      if (this.#rules.ignores(path, false)) this.#results.skip(path, 'ignored')
    }
    this.#reads.doubtIf((path) => this.#rules.ignores(path, false))
    this.refused.ruled()
    if (this.#listing?.folder !== folder) this.#folders.add(folder)
  }

  /** The path that a name on the disk stands for; null if it stands for none. Throws FolderInUse. */
  #pathOf(folder: string, name: string): string | null {
    if (this.#root.isNeverSynced(folder, name)) return null
    const path = this.#root.pathOf(folder, name)
    if (path === null) this.#results.skip(pathIn(folder, name), 'clash')
    else if (!path.endsWith(name)) this.#skips.delete(pathIn(folder, name))
    return path
  }

  #look(path: string, isTurnOfLarge = false): void {
    const folder = parentOf(path)
    if (this.#root.isReal(folder)) this.#lookAt(path, folder, this.#root.place(path), false, isTurnOfLarge)
    else if (folder !== '') {
      this.#soon.add(folder)
      if (!this.#results.isForced(path) || !this.#root.isReal('')) return
      if (this.#root.isThere(path)) this.#results.skip(path, 'unreadable')
      else this.#gone.atOnce(path)
    }
  }

  #lookAt(path: string, folder: string, file: string, isListed: boolean, isTurnOfLarge = false): void {
    const nowMs = Date.now()
    this.refused.noticed(path)
    if (!isListed) this.#turned(folder, this.exclusions.hubData.noticed(path))
    const stats = this.exclusions.hubData.hold(path) ? 'hub-data' : statsAt(file)
    if (typeof stats === 'string') {
      if (stats === 'unreadable') this.#exclude(path, stats)
      else if (this.#results.isForced(path)) this.#results.skip(path, stats)
      return
    }
    if (!isListed && this.exclusions.readAt(path, folder, stats !== undefined)) this.reconsider(folder)
    // Node gives us a name that is not UTF-8 in another spelling, which does not exist: only a listing shows that it does.
    const isNoText = !stats && nameOf(path).includes('\uFFFD')
    if (isNoText && isListed) this.#results.skip(path, 'bad-name')
    else if (isNoText && !this.known.has(path as WorkspacePath)) this.#folders.add(folder)
    else if (!stats) this.#missing(path)
    else if (stats.isDirectory()) this.#folder(path, stats, isListed)
    else this.#file(path as WorkspacePath, file, stats, nowMs, isTurnOfLarge)
  }

  #folder(path: string, stats: Stats, isListed: boolean): void {
    const left = this.exclusions.whyExcluded(path, true)
    const isIgnored = left !== null
    if (left) this.#exclude(path, left)
    else if (pathProblem(path)) {
      this.#results.skip(path, 'bad-name')
      return
    }
    const isAsked = this.#results.unforce(path)
    const wasFile = !isIgnored && (this.known.has(path as WorkspacePath) || this.#skips.isFile(path))
    if (isAsked || wasFile) this.#results.absent(path)
    if (isIgnored) return
    const isWatched = this.#watch.ino(path) === stats.ino
    if (!isWatched) this.#watch.drop(path)
    if (!isWatched || isListed) this.#folders.add(path)
  }

  #file(path: WorkspacePath, file: string, stats: Stats, nowMs: number, isTurnOfLarge: boolean): void {
    const stamp = stampOf(stats)
    const isKnown = this.known.has(path)
    if (isKnown && this.known.stamp(path) === stamp && !this.#results.isForced(path)) {
      this.#gone.found(path)
      return
    }
    if (this.#watch.ino(path) !== undefined || this.known.hasBelow(path)) this.#missing(path)
    const left = isKnown ? null : this.exclusions.whyExcluded(path, false)
    const why = left ?? whyUnsyncable(path, stats, isKnown, this.maxFileBytes)
    if (why) {
      if (why === 'ignored' && !this.#results.isForced(path)) return
      const grew = why === 'too-large' && this.#hasOutgrown(path, file, stats.size)
      this.#results.skip(path, why, stats.size, grew)
      return
    }
    const before = isKnown ? null : this.#results.before?.find(path, stamp)
    if (before) {
      this.#results.unchanged(path, isRacy(stats, nowMs, this.isBlind) ? 0 : stamp, before)
      return
    }
    const same = this.#gone.movedAs(stamp)
    if (same) {
      this.#results.present(path, stats, nowMs, { ...same, content: null, unchanged: true })
      return
    }
    if (!isKnown && this.#schedule.isTemporary(path, stats, nowMs)) return
    // Its bytes have to be read, now or when its time has come.
    const wasSize = this.known.get(path)?.size ?? (this.#results.before ? 0 : 1)
    const isNow = this.#schedule.isNow(path, stats, wasSize, nowMs, isTurnOfLarge)
    if (isNow) this.#reads.begin(path, file, stats, nowMs)
  }

  /** Whether the version of this file that was last known is only the beginning of the present one. */
  #hasOutgrown(path: WorkspacePath, file: string, size: number): boolean {
    const last = this.known.get(path) ?? this.#results.before?.last(path)
    if (!last || last.size >= size) return false
    return beginsWith(file, last.size, 'entry' in last ? last.entry.hash : last.hash)
  }

  /** There is nothing at this path. If it is a folder that was moved, its files turn up elsewhere in a moment. */
  #missing(path: string): void {
    const nowMs = Date.now()
    this.refused.gone(path)
    this.exclusions.hubData.forget(path)
    // Its own times do not tell that it was moved with its folder.
    this.#reads.drop(path)
    this.#gone.missed(path, nowMs, this.#results.isForced(path))
    if (this.#watch.ino(path) === undefined && !this.known.folder(path)) return
    this.#gone.missedBelow(path, nowMs)
    this.#watch.drop(path)
    this.#rules.forget(path)
    this.known.spell(path, path.slice(path.lastIndexOf('/') + 1))
  }

  #confirmGone(path: string): void {
    if (!this.#root.isReal('')) return
    if (this.#root.isThere(path)) {
      this.#soon.add(path)
      return
    }
    this.#results.unforce(path)
    // What clashed with it may have its name now.
    for (const _ of this.#skips.because('clash')) this.#folders.add(parentOf(path))
    this.#results.absent(path)
  }

  /** A folder, or a file, that is not synced from now on, with all that is in it (S13). */
  #exclude(path: string, why: SkipReason): void {
    for (const file of [...this.known.below(path)]) this.#results.skip(file, why)
    this.#reads.drop(path)
    // The root folder stays watched, or its change back would not be noticed.
    if (path !== '') this.#watch.drop(path)
    if (why !== 'ignored') this.#results.skip(path || '.', why)
    else if (this.known.has(path as WorkspacePath)) this.#results.absent(path)
  }
}
