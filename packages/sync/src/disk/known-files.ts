import type { Stats } from 'node:fs'
import type { FileEntry } from '@farhand/protocol/methods/files'
import { NameTree } from '@farhand/protocol/name-tree'
import type { WorkspacePath } from '@farhand/protocol/workspace-path'
import { type RowAtHand, Rows } from './rows.ts'

/**
 * What a file was when it was last hashed or written by us. `stamp` is what `stampOf` said of it then, or 0 if that
 * could not tell it from a later version: such a file has to be hashed again whenever it is looked at.
 */
export type Known = { entry: FileEntry; stamp: number; size: number }

const root = 0

export type KnownFolder = {
  /** Of the files and folders in it, in NFC. */
  readonly names: Iterable<string>
}

/**
 * The files of a workspace as the disk was last seen, in little memory: 100,000 of them take about 15 MB.
 * Paths are as the log calls them; `onDisk` says how the disk spells them.
 */
export class KnownFiles {
  readonly #names = new NameTree()
  readonly #rows = new Rows()
  readonly #spelled = new Map<string, string>()
  /** The folder that was last looked into, which most are that are asked for next. */
  #lastPath = ''
  #last = root
  #asked: string | null = null
  #found = -1

  get count(): number {
    return this.#rows.count
  }

  get(path: WorkspacePath): Known | undefined {
    const row = this.#find(path)
    return this.#rows.has(row) ? this.#rows.get(row) : undefined
  }

  has(path: WorkspacePath): boolean {
    return this.#rows.has(this.#find(path))
  }

  /** The stamp alone, 0 for what is not known: asked for every file of every scan. */
  stamp(path: WorkspacePath): number {
    const row = this.#find(path)
    return this.#rows.has(row) ? this.#rows.stamp(row) : 0
  }

  set(path: WorkspacePath, known: Known): void {
    this.#rows.put(this.#grow(path), known)
  }

  /** Adds a file that is not known yet. */
  add(path: WorkspacePath, stamp: number, known: RowAtHand): void {
    this.#rows.putAtHand(this.#grow(path), stamp, known)
  }

  /** Forgets a file, and the folders that only it was in. Says whether it was known. */
  delete(path: WorkspacePath): boolean {
    const row = this.#find(path)
    if (!this.#rows.has(row)) return false
    this.#asked = null
    this.#rows.remove(row)
    this.#spelled.delete(path)
    for (let at = row; at !== root && !this.#rows.has(at) && !this.#names.hasChildren(at); ) {
      const above = this.#names.parent(at)
      if (at === this.#last) this.#forgetLast()
      this.#names.remove(at)
      at = above
    }
    return true
  }

  /** Whether anything is known below this path. Cheap to ask of many paths in one folder. */
  hasBelow(path: string): boolean {
    const at = this.#find(path)
    return at !== -1 && this.#names.hasChildren(at)
  }

  /** What is known below a folder; '' is the workspace. */
  folder(path: string): KnownFolder | undefined {
    const at = this.#names.find(path)
    if (at === -1 || (at !== root && !this.#names.hasChildren(at))) return undefined
    const names = this.#names
    return {
      names: {
        *[Symbol.iterator]() {
          for (const child of names.children(at)) yield names.name(child)
        },
      },
    }
  }

  /** Every path below a folder. Nothing may be changed meanwhile. */
  *below(path: string): Generator<WorkspacePath> {
    const at = this.#names.find(path)
    if (at !== -1) yield* this.#below(at, path === '' ? '' : `${path}/`)
  }

  *#below(at: number, start: string): Generator<WorkspacePath> {
    for (const child of this.#names.children(at)) {
      const path = start + this.#names.name(child)
      if (this.#rows.has(child)) yield path as WorkspacePath
      if (this.#names.hasChildren(child)) yield* this.#below(child, `${path}/`)
    }
  }

  /** Notes that the disk calls the last part of this path, a file or a folder, by another spelling. */
  spell(path: string, name: string): void {
    if (path.slice(path.lastIndexOf('/') + 1) === name) this.#spelled.delete(path)
    else this.#spelled.set(path, name)
  }

  /** Whether the disk spells anything in another way. */
  get isSpelled(): boolean {
    return this.#spelled.size > 0
  }

  /** The last part of this path as the disk spells it. */
  spelling(path: string): string {
    if (this.#spelled.size === 0) return path.slice(path.lastIndexOf('/') + 1)
    return this.#spelled.get(path) ?? path.slice(path.lastIndexOf('/') + 1)
  }

  /** This path, relative to the workspace, as the disk spells it. */
  onDisk(path: string): string {
    if (this.#spelled.size === 0) return path
    let spelled = ''
    for (let slash = path.indexOf('/'); ; slash = path.indexOf('/', slash + 1)) {
      const here = slash === -1 ? path : path.slice(0, slash)
      spelled += this.spelling(here)
      if (slash === -1) return spelled
      spelled += '/'
    }
  }

  /** The number of a path, -1 if nothing is known of it. */
  #find(path: string): number {
    // Several things are asked of each path, one after the other.
    if (path === this.#asked) return this.#found
    const slash = path.lastIndexOf('/')
    const folder = this.#folderOf(path, slash)
    this.#asked = path
    this.#found = folder === -1 ? -1 : this.#names.child(folder, path, slash + 1, path.length)
    return this.#found
  }

  #grow(path: string): number {
    this.#asked = null
    const slash = path.lastIndexOf('/')
    let folder = this.#folderOf(path, slash)
    if (folder === -1) {
      folder = root
      for (let start = 0; start < slash; ) {
        const end = path.indexOf('/', start)
        folder = this.#names.grow(folder, path, start, end)
        start = end + 1
      }
    }
    return this.#names.grow(folder, path, slash + 1, path.length)
  }

  #folderOf(path: string, slash: number): number {
    if (slash === -1) return root
    if (this.#lastPath.length === slash && path.startsWith(this.#lastPath)) return this.#last
    const above = path.slice(0, slash)
    const folder = this.#names.find(above)
    if (folder !== -1) {
      this.#lastPath = above
      this.#last = folder
    }
    return folder
  }

  #forgetLast(): void {
    this.#lastPath = ''
    this.#last = root
  }
}

const floats = new Float64Array(4)
const words = new Uint32Array(floats.buffer)

/** A number that changes when the file's size, times, inode or mode do; never 0. */
export function stampOf({ size, mtimeMs, ctimeMs, ino, mode }: Stats): number {
  floats[0] = size
  floats[1] = mtimeMs
  floats[2] = ctimeMs
  floats[3] = ino
  let a = 0x9e3779b1 ^ mode
  let b = 0x85ebca6b
  for (let at = 0; at < 8; at++) {
    a = Math.imul(a ^ words[at]!, 2654435761)
    b = Math.imul(b ^ words[at]! ^ (a >>> 15), 1597334677)
    a ^= b >>> 13
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0) || 1
}

// Kernels count file times in ticks of up to 10 ms: two writes within one leave the same time behind.
const tickMs = 20

/** Whether a file could still be changed without its times showing it, or its times lie in the future. */
export const isRacy = ({ mtimeMs, ctimeMs }: Stats, nowMs: number) =>
  nowMs - Math.max(mtimeMs, ctimeMs) < tickMs
