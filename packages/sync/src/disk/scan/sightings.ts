import type { Stats } from 'node:fs'
import { sameEntry } from '@farhand/protocol/files/path-history'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { SkipReason } from '../../engine/disk-folder.ts'
import { isRacy, stampOf } from '../index/file-stamp.ts'
import type { HashCache } from '../index/hash-cache.ts'
import type { KnownFiles } from '../index/known-files.ts'
import type { RowAtHand } from '../index/rows.ts'
import type { Portion } from '../report/pending-report.ts'
import type { GonePaths } from './gone-paths.ts'
import type { ReadTurns } from './read-turns.ts'
import { Found, type Whole } from './scan-parts.ts'
import type { Skips } from './skips.ts'
import type { Watch } from './system-watches.ts'

type SightingsParts = {
  known: KnownFiles
  before: HashCache | null
  portion: Portion
  skips: Skips
  gone: GonePaths
  turns: ReadTurns
  watch: Pick<Watch, 'blind'>
}

/**
 * What was found at each path: a file, nothing, or something that is left out, and why. What is the same as was said
 * before is not said again (S7), unless somebody insists.
 */
export class Sightings {
  /** What an earlier life knew, until everything has been found once. */
  before: HashCache | null
  readonly found = new Found()
  readonly #known: KnownFiles
  readonly #portion: Portion
  readonly #skips: Skips
  readonly #gone: GonePaths
  readonly #turns: ReadTurns
  readonly #watch: Pick<Watch, 'blind'>
  readonly #insisted = new Set<string>()

  constructor(parts: SightingsParts) {
    this.before = parts.before
    this.#known = parts.known
    this.#portion = parts.portion
    this.#skips = parts.skips
    this.#gone = parts.gone
    this.#turns = parts.turns
    this.#watch = parts.watch
  }

  /** What is found at this path next is said, even if it was said before. */
  insist(path: string): void {
    this.#insisted.add(path)
  }

  isInsisted(path: string): boolean {
    return this.#insisted.has(path)
  }

  /** Of these somebody waits to hear. */
  insisted(): Iterable<string> {
    return this.#insisted
  }

  /** Nobody insists any more. Says whether somebody did. */
  relent(path: string): boolean {
    return this.#insisted.delete(path)
  }

  /** What an earlier life knew of this file still holds, which is so for nearly all of them when a life begins. */
  same(path: WorkspacePath, stamp: number, before: RowAtHand): void {
    this.#known.add(path, stamp, before)
    this.#turns.settled(path)
    this.#gone.found(path)
    this.#insisted.delete(path)
    this.#skips.delete(path)
    if (this.before) this.found.add(before.size)
    this.#portion.seeKnown(path, before)
  }

  /** This file is here. `nowMs` is when it was looked at, before it was read, and `costMs` what reading it took. */
  here(path: WorkspacePath, stats: Stats, nowMs: number, whole: Whole, costMs = 0): void {
    const { entry, size, content, unchanged } = whole
    const known = this.#known.get(path)
    const stamp = unchanged && !isRacy(stats, nowMs, this.#watch.blind !== null) ? stampOf(stats) : 0
    this.#turns.settled(path)
    this.#gone.found(path)
    this.#known.set(path, { entry, stamp, size })
    if (!known && this.before) this.found.add(size)
    const isAsked = this.#insisted.delete(path)
    if (known && sameEntry(known.entry, entry) && !isAsked) return
    if (!this.before) this.#turns.spoke(path, nowMs, costMs)
    this.#skips.delete(path)
    this.#portion.see(path, entry, size, content)
  }

  /** No file is here. Of what was only a name on this disk nobody has heard. */
  absent(path: string): void {
    this.#known.delete(path as WorkspacePath)
    this.#turns.settled(path)
    const wasOnlyName = this.#skips.isOnlyName(path)
    this.#skips.delete(path)
    if (!wasOnlyName) this.#portion.see(path, null, 0, null)
  }

  /** Something is here that is left out. That it is ignored is news only to those who think it is synced. */
  skip(path: string, why: SkipReason, size?: number, grew = false): void {
    const wasKnown = this.#known.delete(path as WorkspacePath)
    this.#gone.found(path)
    this.#turns.settled(path)
    const isInsisted = this.#insisted.delete(path)
    this.#skips.add(path, why, (why === 'ignored' && wasKnown) || isInsisted, size, grew)
  }
}
