import type { Stats } from 'node:fs'
import { sameEntry } from '@farhand/protocol/files/path-history'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { SkipReason } from '../../engine/disk-folder.ts'
import type { PackedRow } from '../index/file-rows.ts'
import { isRacy, stampOf } from '../index/file-stamp.ts'
import type { HashCache } from '../index/hash-cache.ts'
import type { KnownFiles } from '../index/known-files.ts'
import type { PendingReport } from '../report/pending-report.ts'
import type { GonePaths } from './gone-paths.ts'
import type { ReadSchedule } from './read-schedule.ts'
import { type FileRead, Found } from './scan-parts.ts'
import type { SkippedPaths } from './skipped-paths.ts'
import type { SystemWatches } from './system-watches.ts'

type ScanResultsParts = {
  known: KnownFiles
  before: HashCache | null
  pending: PendingReport
  skips: SkippedPaths
  gone: GonePaths
  schedule: ReadSchedule
  watch: Pick<SystemWatches, 'blind'>
}

/**
 * What was found at each path: a file, nothing, or something that is left out, and why. What is the same as in the last report
 * is not reported again (S7), unless that is forced.
 */
export class ScanResults {
  /** What an earlier process knew, until everything has been found once. */
  before: HashCache | null
  readonly found = new Found()
  readonly #known: KnownFiles
  readonly #pending: PendingReport
  readonly #skips: SkippedPaths
  readonly #gone: GonePaths
  readonly #schedule: ReadSchedule
  readonly #watch: Pick<SystemWatches, 'blind'>
  readonly #forced = new Set<string>()

  constructor(parts: ScanResultsParts) {
    this.before = parts.before
    this.#known = parts.known
    this.#pending = parts.pending
    this.#skips = parts.skips
    this.#gone = parts.gone
    this.#schedule = parts.schedule
    this.#watch = parts.watch
  }

  /** What is found at this path next is reported, even if it was reported before. */
  force(path: string): void {
    this.#forced.add(path)
  }

  isForced(path: string): boolean {
    return this.#forced.has(path)
  }

  /** The paths whose next finding is reported in any case. */
  forced(): Iterable<string> {
    return this.#forced
  }

  /** The next finding need not be reported any more. Returns whether it was forced. */
  unforce(path: string): boolean {
    return this.#forced.delete(path)
  }

  /** The file is as an earlier process knew it: true for nearly all files at the start. */
  unchanged(path: WorkspacePath, stamp: number, before: PackedRow): void {
    this.#known.add(path, stamp, before)
    this.#schedule.settled(path)
    this.#gone.found(path)
    this.#forced.delete(path)
    this.#skips.delete(path)
    if (this.before) this.found.add(before.size)
    this.#pending.seeKnown(path, before)
  }

  /** This file is here. `nowMs` is when it was looked at, before it was read, and `costMs` what reading it took. */
  present(path: WorkspacePath, stats: Stats, nowMs: number, whole: FileRead, costMs = 0): void {
    const { entry, size, content, unchanged } = whole
    const known = this.#known.get(path)
    const stamp = unchanged && !isRacy(stats, nowMs, this.#watch.blind !== null) ? stampOf(stats) : 0
    this.#schedule.settled(path)
    this.#gone.found(path)
    this.#known.set(path, { entry, stamp, size })
    if (!known && this.before) this.found.add(size)
    const isAsked = this.#forced.delete(path)
    if (known && sameEntry(known.entry, entry) && !isAsked) return
    if (!this.before) this.#schedule.reported(path, nowMs, costMs)
    this.#skips.delete(path)
    this.#pending.see(path, entry, size, content)
  }

  /** No file is here. A path that was only a name on this disk was never reported, so its end is not reported either. */
  absent(path: string): void {
    this.#known.delete(path as WorkspacePath)
    this.#schedule.settled(path)
    const wasOnlyName = this.#skips.isOnlyName(path)
    this.#skips.delete(path)
    if (!wasOnlyName) this.#pending.see(path, null, 0, null)
  }

  /** Something is here that is not synced. An ignored path is only reported if it was synced before. */
  skip(path: string, why: SkipReason, size?: number, grew = false): void {
    const wasKnown = this.#known.delete(path as WorkspacePath)
    this.#gone.found(path)
    this.#schedule.settled(path)
    const isForced = this.#forced.delete(path)
    this.#skips.add(path, why, (why === 'ignored' && wasKnown) || isForced, size, grew)
  }
}
