import { mkdir, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'

const dayMs = 24 * 60 * 60 * 1000

/** How long removed files stay in the trash. */
export const setAsideMs = 7 * dayMs

type Entry = { name: string; at: number; size: number }

/**
 * A folder for removed files: tables restored from a backup may still need them, and a wrong sweep can be undone. The trash takes at most
 * half as much space as is free, so on a full disk files do not stay long.
 */
export class Trash {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  async open(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
  }

  /** Moves a file to the trash; it is no error if the file does not exist. */
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

  /** Deletes files that were here long enough, and the oldest ones if the trash is too large. Returns how many were deleted. */
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

/** Which files to delete: expired ones, and then the oldest until the rest takes at most half of the free space. */
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
