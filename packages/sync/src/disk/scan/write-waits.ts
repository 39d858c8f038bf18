import type { Stats } from 'node:fs'

const largeBytes = 1024 * 1024
const quietMs = 20
const longestMs = 1000
const mostTries = 5

/** A file with the name of one that is about to be renamed is not read before it has stayed for so long. */
const temporaryMs = 10_000

type Waited = { emptiedMs: number | null; busyMs: number | null; tries: number }

/** How long to wait before reading a file that a program is still writing. There is a limit for each file. */
export class WriteWaits {
  readonly #temporary = new Map<string, number>()
  readonly #files = new Map<string, Waited>()
  readonly #emptiedMs: number

  constructor(emptiedMs = 25) {
    this.#emptiedMs = emptiedMs
  }

  /** When this file is worth reading; a time that has passed means now. `wasSize` is its size before this. */
  until(path: string, { size, mtimeMs, ctimeMs }: Stats, wasSize: number, nowMs: number): number {
    // Many programs save by emptying a file and writing it again: the empty state must not be synced.
    if (size === 0 && wasSize > 0) {
      const waited = this.#of(path)
      waited.emptiedMs ??= nowMs
      return waited.emptiedMs + this.#emptiedMs
    }
    // One that was only moved here as well: its times would prove nothing, and it would have to be read again.
    const idleMs = nowMs - Math.max(mtimeMs, ctimeMs)
    if (size <= largeBytes || idleMs < 0 || idleMs >= quietMs) return 0
    const waited = this.#of(path)
    waited.busyMs ??= nowMs
    return Math.min(nowMs + quietMs - idleMs + 1, waited.busyMs + longestMs)
  }

  /** Until when a new file with the name of a temporary one is not worth reading; a time that has passed means now. */
  temporaryUntil(path: string, { mtimeMs, ctimeMs }: Stats, nowMs: number): number {
    if (nowMs - Math.max(mtimeMs, ctimeMs) >= temporaryMs) return 0
    if (this.#temporary.size > 1000) this.#temporary.clear()
    const since = this.#temporary.get(path) ?? nowMs
    this.#temporary.set(path, since)
    return since + temporaryMs
  }

  /** When to read it again, because it changed while it was read; null if what was read has to do. */
  retryAt(path: string, nowMs: number): number | null {
    const waited = this.#of(path)
    return waited.tries++ < mostTries ? nowMs + 2 ** waited.tries : null
  }

  forget(path: string): void {
    this.#temporary.delete(path)
    this.#files.delete(path)
  }

  #of(path: string): Waited {
    let waited = this.#files.get(path)
    if (!waited) {
      waited = { emptiedMs: null, busyMs: null, tries: 0 }
      this.#files.set(path, waited)
    }
    return waited
  }
}
