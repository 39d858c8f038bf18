import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
} from 'node:fs'
import process from 'node:process'
import { nameOf, parentOf } from './path-parts.ts'
import { codeOf } from './system-code.ts'

type Held = { place: string; ino: number; dev: number }

// Needs no right to read the folder. Node has no name for it.
const O_PATH = 0x200000
const folderOnly = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW
const handles = '/proc/self/fd'

/** Whether this system lets us work in a folder by our handle of it, even after it was renamed. */
export const canHold = () => process.platform === 'linux' && existsSync(handles)

/**
 * Folders of a workspace that are held open until `release`. Each was reached from the workspace part by part and
 * through no link, and its `place` leads into that very folder, though its name be given to something else meanwhile.
 * Where folders cannot be held the place is a path, and `isSafe` has to be asked right before using it. In either case
 * `isStill` says afterwards whether what was done there was done where it was meant.
 */
export class HeldFolders {
  readonly #root: string
  readonly #isHolding: boolean
  readonly #is: Stats
  readonly #held = new Map<string, Held>()
  readonly #handles: number[] = []

  /** Throws the error of the system if there is no such folder. */
  constructor(root: string, isHolding = canHold(), is = lstatSync(root)) {
    this.#root = root
    this.#isHolding = isHolding
    this.#is = is
  }

  /** The same workspace, with nothing held. */
  anew(): HeldFolders {
    return new HeldFolders(this.#root, this.#isHolding, this.#is)
  }

  /** How many handles are in use. */
  get count(): number {
    return this.#handles.length
  }

  has(folder: string): boolean {
    return this.#held.has(folder)
  }

  /**
   * Where to work in this folder, '' for the workspace. Throws ENOENT, ENOTDIR or ELOOP when it is no folder that can
   * be reached, and ESTALE when the workspace itself is another one than it was. `make`: missing ones are made.
   */
  enter(folder: string, make?: { mode: number }): string {
    const before = this.#held.get(folder)
    if (before) return before.place
    const held = folder === '' ? this.#enterRoot() : this.#enterBelow(folder, make)
    this.#held.set(folder, held)
    return held.place
  }

  /** Whether its place leads into what was entered, and nowhere else. Always so where folders are held. */
  isSafe(folder: string): boolean {
    return this.#isHolding || this.isStill(folder)
  }

  /** Whether what was entered is still what its path leads to: another program may have moved it away. */
  isStill(folder: string): boolean {
    const held = this.#held.get(folder)
    if (!held) return false
    // A handle follows its folder when that is moved, so it is the path that has to be asked.
    if (this.#isHolding) return isAt(folder === '' ? this.#root : `${this.#root}/${folder}`, held)
    return (folder === '' || this.isStill(parentOf(folder))) && isAt(held.place, held)
  }

  /** This folder was removed, with all below it: its path has to be entered anew. */
  removed(folder: string): void {
    for (const path of this.#held.keys()) {
      if (path === folder || path.startsWith(`${folder}/`)) this.#held.delete(path)
    }
  }

  /** Lets go of all of them. Their places must not be used any more: the numbers are given out again. */
  release(): void {
    this.#held.clear()
    for (const handle of this.#handles.splice(0)) closeSync(handle)
  }

  #enterRoot(): Held {
    let held: Held | null = null
    try {
      held = this.#enterAt(this.#root)
    } catch (error) {
      if (!isNoFolder(error)) throw error
    }
    if (held && held.ino === this.#is.ino && held.dev === this.#is.dev) return held
    throw Object.assign(new Error(`${this.#root} is not the same folder any more`), { code: 'ESTALE' })
  }

  #enterBelow(folder: string, make: { mode: number } | undefined): Held {
    const path = `${this.enter(parentOf(folder), make)}/${nameOf(folder)}`
    try {
      return this.#enterAt(path)
    } catch (error) {
      if (!make || codeOf(error) !== 'ENOENT') throw error
    }
    mkdirSync(path, make)
    return this.#enterAt(path)
  }

  #enterAt(path: string): Held {
    if (!this.#isHolding) {
      const stats = lstatSync(path)
      if (!stats.isDirectory()) throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' })
      return { place: path, ino: stats.ino, dev: stats.dev }
    }
    const handle = openSync(path, folderOnly)
    this.#handles.push(handle)
    const { ino, dev } = fstatSync(handle)
    return { place: `${handles}/${handle}`, ino, dev }
  }
}

function isAt(path: string, { ino, dev }: Held): boolean {
  const now = lstatSync(path, { throwIfNoEntry: false })
  return now?.isDirectory() === true && now.ino === ino && now.dev === dev
}

/** Whether this error says that there is no such folder, or something else by its name. */
export const isNoFolder = (error: unknown) => ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))
