import type { Stats } from 'node:fs'
import { smallBytes } from '../content/reading.ts'
import { DuePaths } from './due-paths.ts'
import { isTemporary } from './is-temporary.ts'
import { PathQueue } from './path-queue.ts'
import { ReportPace } from './report-pace.ts'
import type { WriteWaits } from './write-waits.ts'

/** Decides when a file is read: at once, when its time has come, or, for large files, one after the other. */
export class ReadSchedule {
  readonly #waits: WriteWaits
  readonly #pace = new ReportPace()
  readonly #later = new DuePaths()
  readonly #large = new PathQueue()

  constructor(waits: WriteWaits) {
    this.#waits = waits
  }

  /**
   * Whether this file is to be read now; if not, it is handed out again by `take` or `takeLarge`. `wasSize` is its
   * size before this.
   */
  isNow(path: string, stats: Stats, wasSize: number, nowMs: number, isTurnOfLarge: boolean): boolean {
    const dueMs = Math.max(this.#pace.dueAt(path, nowMs), this.#waits.until(path, stats, wasSize, nowMs))
    if (dueMs > nowMs) this.#later.add(path, dueMs)
    else if (stats.size > smallBytes && !isTurnOfLarge && !stats.isSymbolicLink()) this.#large.add(path)
    else return true
    return false
  }

  /** Whether this new file will most likely be renamed in a moment; if so, it is handed out again when it has stayed. */
  isTemporary(path: string, stats: Stats, nowMs: number): boolean {
    if (!isTemporary(path)) return false
    const dueMs = this.#waits.temporaryUntil(path, stats, nowMs)
    if (dueMs > nowMs) this.#later.add(path, dueMs)
    return dueMs > nowMs
  }

  /** It is to be looked at again at this time. */
  later(path: string, atMs: number): void {
    this.#later.add(path, atMs)
  }

  /** The file was reported, and reading it took this long: what changes all the time, or is slow to read, is read less often. */
  reported(path: string, nowMs: number, costMs: number): void {
    this.#pace.reported(path, nowMs, costMs)
  }

  /** What is at this path is known: waiting for the next change starts from zero. */
  settled(path: string): void {
    this.#waits.forget(path)
  }

  /** Those that wait for their time. */
  waiting(): Iterable<string> {
    return this.#later.paths()
  }

  /** Takes the paths whose time has come. */
  take(nowMs: number): string[] {
    return this.#later.take(nowMs)
  }

  /** When the next one's time comes; infinity if none waits. */
  get nextMs(): number {
    return this.#later.nextMs
  }

  get hasLarge(): boolean {
    return this.#large.size > 0
  }

  /** The large file whose turn it is. */
  takeLarge(): string | undefined {
    return this.#large.take()
  }
}
