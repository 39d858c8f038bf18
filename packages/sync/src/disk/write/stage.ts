import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  futimesSync,
  lstatSync,
  lutimesSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { FileMode } from '@farhand/protocol/methods/files'
import type { Staged } from '../../engine/disk-folder.ts'
import { canHold, HeldFolders } from '../workspace/held-folders.ts'
import { besidePrefix } from '../workspace/never-synced.ts'
import { enterOwnFolder } from '../workspace/own-folder.ts'

/** A finished file that waits for its name. `at` is where, relative to the workspace. */
export type StagedFile = { at: string; file: string; stats: Stats }

/** What a file is to be made of: bytes at hand, or bytes that were staged before. */
export type Bytes = { content: Uint8Array } | { staged: Staged }

/**
 * Where files are made before they get their names: a folder of this process below `.farhand/incoming`, which is
 * made when it is first needed. `leftBehind` handles what a crash leaves in it.
 */
export class Stage {
  readonly #root: string
  readonly #folders: HeldFolders
  readonly #folderName = `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`
  readonly #streams = new Map<string, number>()
  readonly #at: string
  /** Held to the end, also folders that were deleted: staged files in them are known by these places. */
  readonly #held: HeldFolders[] = []
  #made: { place: string; ino: number } | null = null
  #names = 0

  constructor(root: string, isHolding = canHold()) {
    this.#root = root
    this.#folders = new HeldFolders(root, isHolding)
    this.#at = `.farhand/incoming/${this.#folderName}`
  }

  /** Where to work in the folder. It exists, and no part of the way to it is a link. */
  place(): string {
    if (this.#made) return this.#made.place
    const held = this.#folders.anew()
    this.#held.push(held)
    enterOwnFolder(held, '.farhand/incoming')
    const place = held.enter(this.#at, { mode: 0o700 })
    this.#made = { place, ino: lstatSync(join(this.#root, this.#at)).ino }
    return place
  }

  /** Whether the folder was made and its path leads there no longer, because it was deleted. It will be made again. */
  isLost(): boolean {
    if (!this.#made || realFolderAt(this.#root, this.#at)?.ino === this.#made.ino) return false
    this.#made = null
    return true
  }

  /** A name that is not used yet, in our folder or beside a target. */
  newPlace(beside: string | null): string {
    const name = (this.#names++).toString(36)
    if (beside !== null) return join(beside, `${besidePrefix}${this.#folderName}-${name}`)
    this.place()
    return `${this.#at}/${name}`
  }

  /** Where the file is that was given this place. */
  file(at: string): string {
    if (at.startsWith(`${this.#at}/`)) return `${this.place()}/${at.slice(this.#at.length + 1)}`
    return `${this.#root}/${at}`
  }

  /**
   * Makes a file, or a link, with these bytes and a time no other write will have. Nothing is left if it throws.
   * `like` are the permissions of what it will replace. Staged bytes are not copied: they are what comes out.
   */
  make(bytes: Bytes, mode: FileMode, like: number | null, beside: string | null): StagedFile {
    const isReady = 'staged' in bytes && beside === null
    const at = isReady ? bytes.staged.name : this.newPlace(beside)
    const file = this.file(at)
    try {
      const stats = mode === '120000' ? this.#makeLink(file, bytes) : this.#makeFile(file, bytes, mode, like)
      return { at, file, stats }
    } catch (error) {
      rmSync(file, { force: true })
      throw error
    }
  }

  openStream(): Staged {
    const name = this.newPlace(null)
    this.#streams.set(name, openSync(this.file(name), 'wx', 0o666))
    return { name }
  }

  /** The file handle, to write in another order. The stream must stay open until that is done. */
  handle({ name }: Staged): number {
    const handle = this.#streams.get(name)
    if (handle === undefined) throw new Error('this was not staged here, or was finished before')
    return handle
  }

  /** Adds to a stream. When it throws, the stream is gone. */
  add({ name }: Staged, chunk: Uint8Array): void {
    const handle = this.handle({ name })
    try {
      writeAll(handle, chunk)
    } catch (error) {
      this.drop({ name })
      throw error
    }
  }

  endStream({ name }: Staged): void {
    const handle = this.#streams.get(name)
    if (handle !== undefined) closeSync(handle)
    this.#streams.delete(name)
  }

  drop(staged: Staged): void {
    this.endStream(staged)
    rmSync(this.file(staged.name), { force: true })
  }

  /** The bytes of a stream that has ended. */
  read({ name }: Staged): Uint8Array {
    return readFileSync(this.file(name))
  }

  /** Closes what is open, and removes the folder if it holds nothing but these. The next process deletes the rest. */
  close(nothingBut: readonly string[] | null): void {
    for (const name of [...this.#streams.keys()]) this.drop({ name })
    if (nothingBut && this.#made && !this.isLost()) {
      for (const name of nothingBut) rmSync(join(this.#made.place, name), { force: true })
      try {
        rmdirSync(join(this.#root, this.#at))
      } catch {
        // Something staged was never used.
      }
    }
    this.#made = null
    for (const held of this.#held) held.release()
  }

  #makeLink(file: string, bytes: Bytes): Stats {
    if (!('content' in bytes)) throw new Error('a link is made of bytes at hand')
    symlinkSync(Buffer.from(bytes.content), file)
    const time = oddTime()
    lutimesSync(file, time, time)
    return lstatSync(file)
  }

  #makeFile(file: string, bytes: Bytes, mode: FileMode, like: number | null): Stats {
    const source = 'staged' in bytes ? this.file(bytes.staged.name) : null
    if (source !== null && source !== file) copyFileSync(source, file, constants.COPYFILE_EXCL)
    const handle = openSync(file, source === null ? 'wx' : 'r+', mode === '100755' ? 0o777 : 0o666)
    try {
      if ('content' in bytes) writeAll(handle, bytes.content)
      const time = oddTime()
      futimesSync(handle, time, time)
      const stats = fstatSync(handle)
      const bits = withMode(like ?? stats.mode, mode)
      if (bits === (stats.mode & 0o7777)) return stats
      fchmodSync(handle, bits)
      return fstatSync(handle)
    } finally {
      closeSync(handle)
    }
  }
}

/** Permissions with this mode, and else as they were: a sync must not change who may read a file. */
export function withMode(bits: number, mode: FileMode): number {
  const mayRead = (bits & 0o444) >> 2
  return mode === '100755' ? (bits & 0o777) | mayRead | 0o100 : bits & 0o666
}

let lastTime = 0

/**
 * Now, in seconds, with microseconds that were not used before: kernels stamp files with the time of their last tick, so a
 * program that writes to the file after us leaves another time behind, even within the same tick.
 */
function oddTime(): number {
  const odd = (Math.floor(performance.now() * 1000) % 1000) | 1
  lastTime = Math.max((Date.now() - 1) * 1000 + odd, lastTime + 2)
  // A clock that was set back by more than that is believed.
  if (lastTime / 1000 - Date.now() > 1000) lastTime = (Date.now() - 1) * 1000 + odd
  return lastTime / 1e6
}

function writeAll(handle: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(handle, bytes, from)
}

/** What is at this path of the workspace, if all of it are folders and none is a link. */
function realFolderAt(root: string, path: string): Stats | null {
  let stats: Stats | null = null
  let place = root
  for (const part of path.split('/')) {
    place += `/${part}`
    stats = lstatSync(place, { throwIfNoEntry: false }) ?? null
    if (!stats?.isDirectory()) return null
  }
  return stats
}
