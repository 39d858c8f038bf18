import { lstatSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from './exchange.ts'
import type { KnownFiles } from './known-files.ts'

/** What stands where a folder has to be: nothing of ours, a file or link we know, or the same name in other letters. */
export type InTheWay = { is: 'in-the-way' } | { is: 'known'; path: string } | { is: 'clash' }

const believedMs = 50

/**
 * The folders that files are put into and taken out of. Each one on the way is looked at, and is never a link; what
 * was seen is believed only until `forget`, for a folder may be traded for a link at any time.
 */
export class ApplyFolders {
  readonly #root: string
  readonly #known: KnownFiles
  readonly #isCaseless: () => boolean
  readonly #seen = new Set<string>()
  readonly #listed = new Map<string, Set<string>>()
  #seenSince = 0
  readonly #made = new Set<string>()
  readonly #maybeEmpty = new Set<string>()

  constructor(root: string, known: KnownFiles, isCaseless: () => boolean) {
    this.#root = root
    this.#known = known
    this.#isCaseless = isCaseless
  }

  forget(): void {
    this.#seen.clear()
    this.#listed.clear()
    this.#seenSince = performance.now()
  }

  /** What was seen a moment ago is still believed. */
  forgetInTime(): void {
    if (performance.now() - this.#seenSince > believedMs) this.forget()
  }

  /** Whether a path is in a folder that was made a moment ago by us, where nothing else can be expected. */
  isFresh(path: string): boolean {
    const above = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    return this.#made.has(above) && this.#seen.has(above)
  }

  /** Makes the folder of a path, and those above it. Says what is in the way, else null. */
  make(path: string): InTheWay | null {
    if (path === '' || this.#seen.has(path)) return null
    const slash = path.lastIndexOf('/')
    const above = slash === -1 ? '' : path.slice(0, slash)
    const trouble = this.make(above)
    if (trouble) return trouble
    const folder = `${this.#root}/${this.#known.onDisk(path)}`
    const stats = lstatSync(folder, { throwIfNoEntry: false })
    if (!stats) {
      mkdirSync(folder)
      this.#made.add(path)
    } else if (!stats.isDirectory()) {
      return this.#known.has(path as never) ? { is: 'known', path } : { is: 'in-the-way' }
    } else if (this.isClash(path)) return { is: 'clash' }
    this.#seen.add(path)
    return null
  }

  /** Whether every folder above this path is there and none is a link. */
  isReachable(path: string): boolean {
    if (path === '' || this.#seen.has(path)) return true
    const slash = path.lastIndexOf('/')
    if (slash !== -1 && !this.isReachable(path.slice(0, slash))) return false
    const stats = lstatSync(join(this.#root, this.#known.onDisk(path)), { throwIfNoEntry: false })
    if (!stats?.isDirectory()) return false
    this.#seen.add(path)
    return true
  }

  /** Whether what is there is spelled in other letters, which this disk takes for the same (S10). */
  isClash(path: string): boolean {
    if (!this.#isCaseless()) return false
    const slash = path.lastIndexOf('/')
    const above = slash === -1 ? '' : path.slice(0, slash)
    let names = this.#listed.get(above)
    if (!names) {
      names = new Set(
        readdirSync(join(this.#root, this.#known.onDisk(above))).map((name) => name.normalize()),
      )
      this.#listed.set(above, names)
    }
    return !names.has(path.slice(slash + 1))
  }

  /** Something was taken out of the folder of this path. */
  tookOut(path: string): void {
    const slash = path.lastIndexOf('/')
    if (slash !== -1) this.#maybeEmpty.add(path.slice(0, slash))
  }

  /** Nothing was put into the folder of this path after all. */
  gaveUp(path: string): void {
    if (this.#made.has(path.slice(0, Math.max(0, path.lastIndexOf('/'))))) this.tookOut(path)
  }

  /** Removes this folder if nothing is left in it or in those below it that we emptied. Never removes a file. */
  clear(path: string): boolean {
    const below = [...this.#maybeEmpty].filter((folder) => folder === path || folder.startsWith(`${path}/`))
    for (const folder of deepestFirst(below)) this.#removeUpTo(folder, path)
    return this.#remove(path)
  }

  /** Removes what was emptied, and the folders above that held nothing else. */
  sweep(): void {
    for (const folder of deepestFirst(this.#maybeEmpty)) this.#removeUpTo(folder, '')
    this.#maybeEmpty.clear()
    this.#made.clear()
  }

  #removeUpTo(path: string, top: string): void {
    for (let folder = path; folder !== top && folder !== ''; ) {
      if (!this.#remove(folder)) return
      const slash = folder.lastIndexOf('/')
      folder = slash === -1 ? '' : folder.slice(0, slash)
    }
  }

  #remove(path: string): boolean {
    const slash = path.lastIndexOf('/')
    if (slash !== -1 && !this.isReachable(path.slice(0, slash))) return false
    try {
      rmdirSync(join(this.#root, this.#known.onDisk(path)))
    } catch (error) {
      return codeOf(error) === 'ENOENT'
    }
    this.#seen.clear()
    return true
  }
}

const deepestFirst = (folders: Iterable<string>) => [...folders].sort((a, b) => b.length - a.length)
