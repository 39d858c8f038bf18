import { lstatSync, rmSync, type Stats } from 'node:fs'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { Reading, smallBytes } from '../content/reading.ts'
import { entryAt, modeOf } from '../index/file-entry.ts'
import { stampOf } from '../index/file-stamp.ts'
import type { RescuedFiles } from './rescued-files.ts'

const sliceMs = 5

type Became = 'let go' | 'in use' | 'half read'

/** A file that we replaced or deleted. `stamp` is its stamp at that moment; 0 if another program had already written to it. */
export type Replaced = {
  n: number
  file: string
  path: WorkspacePath
  from: FileEntry | null
  to: FileEntry | null
  stamp: number
  sinceMs: number
}

/**
 * Files that were replaced or deleted a moment ago. A program that had one open may still write to it: then what it
 * wrote is rescued. After the grace time no program is expected to.
 */
export class RescueGrace {
  readonly #rescued: RescuedFiles
  readonly graceMs: number
  #waiting: Replaced[] = []
  #halfRead: { file: string; reading: Reading } | null = null

  constructor(rescued: RescuedFiles, graceMs: number) {
    this.#rescued = rescued
    this.graceMs = graceMs
  }

  add(replaced: Replaced): void {
    this.#waiting.push(replaced)
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** The numbers of the intents that say what these files are. */
  needed(): Set<number> {
    return new Set(this.#waiting.map(({ n }) => n))
  }

  /**
   * Lets go of what has waited long enough and is settled, for a few milliseconds at a time. Says in how many it
   * wants to be called again; null if only after something has happened.
   */
  sweep(nowMs: number, settled: number): number | null {
    const untilMs = performance.now() + sliceMs
    const again: Replaced[] = []
    let became: Became | null = null
    let at = 0
    // One at least: where a moment is over before it began, nothing would ever be let go.
    for (; at < this.#waiting.length && (at === 0 || performance.now() < untilMs); at++) {
      const replaced = this.#waiting[at]!
      if (nowMs - replaced.sinceMs < this.graceMs || replaced.n > settled) break
      became = this.#letGo(replaced, nowMs, untilMs)
      if (became === 'half read') break
      if (became === 'in use') again.push(replaced)
    }
    if (at > 0) this.#waiting = [...again, ...this.#waiting.slice(at)]
    if (became === 'half read') return 1
    const next = this.#waiting.find((replaced) => replaced.n <= settled)
    if (!next) return null
    return again.length > 0 ? this.graceMs : Math.max(1, next.sinceMs + this.graceMs - nowMs)
  }

  /** The next process handles what still waits. */
  close(): void {
    this.#halfRead?.reading.close()
    this.#halfRead = null
  }

  #letGo(replaced: Replaced, nowMs: number, untilMs: number): Became {
    const { file, path, sinceMs } = replaced
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (!stats) return 'let go'
    const isTouched = stampOf(stats) !== replaced.stamp
    const isGivenUp = nowMs - sinceMs > 5 * this.graceMs
    if (isTouched && !isGivenUp && nowMs - lastTouched(stats) < this.graceMs) return 'in use'
    // Times are set when a write begins: the one they tell of may have ended after we took the file away.
    if (isTouched || sinceMs - stats.mtimeMs < this.graceMs) {
      const held = this.#held(replaced, stats, untilMs)
      if (held === 'half read' || (held === 'changing' && !isGivenUp)) return 'half read'
      const isKnown = held === 'unreadable' ? !isTouched : isVersion(held, modeOf(stats), replaced)
      if (!isKnown) this.#rescued.take(file, path)
    }
    rmSync(file, { force: true })
    return 'let go'
  }

  /** The hash of what it holds. A large one is read in steps, so that it does not block the thread. */
  #held({ file, from }: Replaced, stats: Stats, untilMs: number): string {
    if (!stats.isFile() || stats.size <= smallBytes) return entryAt(file)?.hash ?? 'unreadable'
    try {
      if (this.#halfRead?.file !== file) {
        this.close()
        this.#halfRead = { file, reading: new Reading(file, stats, from?.hash) }
      }
      const { reading } = this.#halfRead
      let read = reading.step()
      while (!read && performance.now() < untilMs) read = reading.step()
      if (!read) return 'half read'
      this.close()
      return read.unchanged ? read.hash : 'changing'
    } catch {
      this.close()
      return 'unreadable'
    }
  }
}

const lastTouched = ({ mtimeMs, ctimeMs }: Stats) => Math.max(mtimeMs, ctimeMs)

type Versions = Pick<Replaced, 'from' | 'to'>

/** Whether this is what the log has anyway. Our own file may have been left before it got its mode. */
export function isVersionOf({ file, ...versions }: Pick<Replaced, 'file'> & Versions): boolean {
  const entry = entryAt(file)
  return entry !== null && isVersion(entry.hash, entry.mode, versions)
}

const isVersion = (hash: string, mode: string, { from, to }: Versions) =>
  hash === to?.hash || (hash === from?.hash && (mode === from.mode || from.mode === '120000'))
