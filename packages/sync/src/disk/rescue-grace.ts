import { lstatSync, rmSync, type Stats } from 'node:fs'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/workspace-path'
import { stampOf } from './known-files.ts'
import { entryAt, type RescuedFiles } from './rescue.ts'

/** A file that has lost its name to us. `stamp` is how it was just then; 0 if somebody else had already written to it. */
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
 * wrote is rescued. Later than the grace time nobody is expected to.
 */
export class RescueGrace {
  readonly #rescued: RescuedFiles
  readonly graceMs: number
  #waiting: Replaced[] = []

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
    const start = performance.now()
    const again: Replaced[] = []
    let at = 0
    for (; at < this.#waiting.length && performance.now() - start < 5; at++) {
      const replaced = this.#waiting[at]!
      if (nowMs - replaced.sinceMs < this.graceMs || replaced.n > settled) break
      if (!this.#letGo(replaced, nowMs)) again.push(replaced)
    }
    if (at > 0) this.#waiting = [...again, ...this.#waiting.slice(at)]
    const next = this.#waiting.find((replaced) => replaced.n <= settled)
    if (!next) return null
    return again.length > 0 ? this.graceMs : Math.max(1, next.sinceMs + this.graceMs - nowMs)
  }

  #letGo(replaced: Replaced, nowMs: number): boolean {
    const stats = lstatSync(replaced.file, { throwIfNoEntry: false })
    if (!stats) return true
    if (stampOf(stats) !== replaced.stamp) {
      const isGivenUp = nowMs - replaced.sinceMs > 5 * this.graceMs
      if (!isGivenUp && nowMs - lastTouched(stats) < this.graceMs) return false
      if (!isVersionOf(replaced)) this.#rescued.take(replaced.file, replaced.path)
    }
    rmSync(replaced.file, { force: true })
    return true
  }
}

const lastTouched = ({ mtimeMs, ctimeMs }: Stats) => Math.max(mtimeMs, ctimeMs)

/** Whether these are bytes that the log has anyway. */
export function isVersionOf({ file, from, to }: Pick<Replaced, 'file' | 'from' | 'to'>): boolean {
  const hash = entryAt(file)?.hash
  return hash !== undefined && (hash === from?.hash || hash === to?.hash)
}
