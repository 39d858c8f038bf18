import { mkdir, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'

const dayMs = 24 * 60 * 60 * 1000

/** How long removed bytes are set aside before they are gone. */
export const setAsideMs = 7 * dayMs

type Entry = { name: string; at: number; size: number }

/**
 * A folder for files that were removed: tables put back from a backup may still need them, and a sweep that was wrong can be
 * undone. They take at most half as much room as is free, so on a full disk nothing is set aside for long.
 */
export class Trash {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  async open(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
  }

  /** Sets a file aside, from now on; one that is not there is no trouble. */
  async take(path: string, name: string): Promise<void> {
    const to = join(this.#dir, name)
    try {
      await rename(path, to)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    const now = new Date()
    await utimes(to, now, now)
  }

  names(): Promise<string[]> {
    return readdir(this.#dir)
  }

  async bringBack(name: string, to: string): Promise<void> {
    await rename(join(this.#dir, name), to)
  }

  /** Deletes what has been here for long enough, and the oldest of what is too much. Says how many are gone. */
  async empty(now: Date): Promise<number> {
    const entries: Entry[] = []
    for (const name of await this.names()) {
      const seen = await stat(join(this.#dir, name)).catch(() => null)
      if (seen) entries.push({ name, at: seen.mtimeMs, size: seen.size })
    }
    const { bavail, bsize } = await statfs(this.#dir)
    const over = whatGoes(entries, now.getTime(), bavail * bsize)
    for (const { name } of over) await rm(join(this.#dir, name), { force: true })
    return over.length
  }
}

/** Which of them go: those whose time is over, and then the oldest until the rest takes no more than half of what is free. */
export function whatGoes(entries: readonly Entry[], now: number, freeBytes: number): Entry[] {
  let [kept, free] = [entries.reduce((sum, { size }) => sum + size, 0), freeBytes]
  return [...entries]
    .sort((a, b) => a.at - b.at)
    .filter(({ at, size }) => {
      const goes = now - at > setAsideMs || kept > free / 2
      if (!goes) return false
      kept -= size
      free += size
      return true
    })
}
