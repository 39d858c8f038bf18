import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { lockHolder } from '../../state/lock-state.ts'
import type { KnownFiles } from '../index/known-files.ts'
import { FolderInUse } from './folder-in-use.ts'
import { isNeverSynced } from './never-synced.ts'
import { inNfc, parentOf, pathIn } from './path-parts.ts'

const ourFolder = '.farhand'
const quietly = { throwIfNoEntry: false } as const

/** The folder itself: where it is, and whether it still is the one we began with (S13). */
export class RootFolder {
  readonly path: string
  trouble: 'missing' | 'replaced' | null = null
  readonly #known: KnownFiles
  readonly #dev: number
  readonly #ino: number
  /** The inodes of folders that are folders, -1 for what is none. */
  readonly #inodes = new Map<string, number>()

  /** Throws the error of the system if there is no such folder. */
  constructor(path: string, known: KnownFiles) {
    const stats = lstatSync(path)
    if (!stats.isDirectory()) throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' })
    this.path = path
    this.#known = known
    this.#dev = stats.dev
    this.#ino = stats.ino
  }

  place(path: string): string {
    return path === '' ? this.path : `${this.path}/${this.#known.onDisk(path)}`
  }

  /** The path that a name on the disk stands for; null if another file already goes by it (S10). */
  pathOf(folder: string, name: string): string | null {
    const path = pathIn(folder, inNfc(name))
    if (path.endsWith(name) && !this.#known.isSpelled) return path
    const spelling = this.#known.spelling(path)
    if (name === spelling) return path
    const place = this.place(folder)
    const here = statsOf(`${place}/${name}`)
    const other = statsOf(`${place}/${spelling}`)
    if (here && other && here.ino !== other.ino) return null
    if (here) this.#known.spell(path, name)
    return path
  }

  /**
   * Whether this name in a folder is never looked at. Throws FolderInUse if it shows that another process syncs that
   * folder: two syncs of the same files, one inside the other, would sync each other's own files.
   */
  isNeverSynced(folder: string, name: string): boolean {
    if (name === ourFolder && folder !== '') {
      const pid = lockHolder(join(this.place(folder), ourFolder, 'incoming'))
      if (pid !== null) throw new FolderInUse(this.place(folder), pid)
    }
    return isNeverSynced(name)
  }

  /** What was found out about folders is old: they have to be looked at again. */
  forget(): void {
    this.#inodes.clear()
  }

  /** Whether this folder and all above it are folders, not links that lead elsewhere. */
  isReal(folder: string): boolean {
    return this.ino(folder) !== -1
  }

  /** The inode of this folder; -1 if it, or one above it, is no folder, or a link that leads elsewhere. */
  ino(folder: string): number {
    let ino = this.#inodes.get(folder)
    if (ino === undefined) {
      if (folder === '') ino = this.#isOurs() ? this.#ino : -1
      else ino = this.isReal(parentOf(folder)) ? this.#inoOf(folder) : -1
      this.#inodes.set(folder, ino)
    }
    return ino
  }

  /** Whether anything is at this path that is not merely reached through a link. What cannot be known counts (S13). */
  isThere(path: string): boolean {
    const folder = parentOf(path)
    try {
      if (folder !== '' && !this.isReal(folder)) {
        if (!this.isThere(folder) || !lstatSync(this.place(folder)).isDirectory()) return false
      }
      return lstatSync(this.place(path), quietly) !== undefined
    } catch {
      return true
    }
  }

  #isOurs(): boolean {
    const stats = statsOf(this.path)
    if (!stats) this.trouble = 'missing'
    else this.trouble = stats.ino === this.#ino && stats.dev === this.#dev ? null : 'replaced'
    return this.trouble === null
  }

  #inoOf(folder: string): number {
    const stats = statsOf(this.place(folder))
    return stats?.isDirectory() ? stats.ino : -1
  }
}

function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, quietly)
  } catch {
    // It may exist without being readable: it must not count as deleted.
    return undefined
  }
}
