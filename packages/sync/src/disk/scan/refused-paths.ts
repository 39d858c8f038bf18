import { lstatSync, readdirSync } from 'node:fs'
import type { Exclusions } from '../rules/exclusions.ts'
import { parentOf } from '../workspace/path-parts.ts'
import type { RootFolder } from '../workspace/root-folder.ts'

const quietly = { throwIfNoEntry: false } as const

/**
 * Paths that the engine wanted to write and could not, because something is in the way, or a rule. The engine then waits
 * for a report of the path; but what is in the way may never be reported. So `lift` is called for the path when the
 * obstacle has gone, has become something else, or is a folder that is empty now.
 */
export class RefusedPaths {
  readonly #root: RootFolder
  readonly #exclusions: Exclusions
  readonly #lift: (path: string) => void
  readonly #behind = new Map<string, { looks: string; paths: Set<string> }>()
  readonly #ruledOut = new Set<string>()

  constructor(root: RootFolder, exclusions: Exclusions, lift: (path: string) => void) {
    this.#root = root
    this.#exclusions = exclusions
    this.#lift = lift
  }

  add(path: string): void {
    const blocker = this.#blockerOf(path)
    if (blocker === null && this.#exclusions.why(path) !== null) this.#ruledOut.add(path)
    else if (blocker === null) this.#lift(path)
    else {
      const behind = this.#behind.get(blocker) ?? { looks: '', paths: new Set() }
      behind.looks = this.#identityOf(blocker)
      behind.paths.add(path)
      this.#behind.set(blocker, behind)
    }
  }

  /** The scan looks at this path: it, or a folder that it is in, may be in the way of something. */
  noticed(path: string): void {
    if (this.#behind.size === 0) return
    for (let at = path; at !== ''; at = parentOf(at)) this.#check(at)
  }

  /** This path is gone, with all that was below it. */
  gone(path: string): void {
    if (this.#behind.size === 0) return
    for (const blocker of this.#behind.keys()) if (blocker.startsWith(`${path}/`)) this.#check(blocker)
  }

  /** A folder has been listed: obstacles in it that were never known are only missed here. */
  listed(folder: string): void {
    if (this.#behind.size === 0) return
    for (const blocker of this.#behind.keys()) if (parentOf(blocker) === folder) this.#check(blocker)
  }

  /** The rules have changed. */
  ruled(): void {
    for (const path of this.#ruledOut) {
      if (this.#exclusions.why(path) !== null) continue
      this.#ruledOut.delete(path)
      this.#lift(path)
    }
  }

  #check(blocker: string): void {
    const behind = this.#behind.get(blocker)
    if (!behind || this.#identityOf(blocker) === behind.looks) return
    this.#behind.delete(blocker)
    for (const path of behind.paths) this.#lift(path)
  }

  /** The first part of the way that is no folder, or what is there at its end. */
  #blockerOf(path: string): string | null {
    for (let slash = path.indexOf('/'); ; slash = path.indexOf('/', slash + 1)) {
      const part = slash === -1 ? path : path.slice(0, slash)
      const stats = lstatSync(this.#root.place(part), quietly)
      if (!stats) return null
      if (slash === -1 || !stats.isDirectory()) return part
    }
  }

  #identityOf(path: string): string {
    try {
      const place = this.#root.place(path)
      const stats = lstatSync(place, quietly)
      if (!stats?.isDirectory()) return stats ? `${stats.ino}` : ''
      return readdirSync(place).length === 0 ? 'empty' : `folder ${stats.ino}`
    } catch {
      // Not for us to see, and so still in the way.
      return 'unknown'
    }
  }
}
