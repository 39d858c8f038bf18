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
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { FileMode } from '@farhand/protocol/methods/files'
import type { Staged } from '../disk-folder.ts'
import { codeOf } from './exchange.ts'

/** A finished file that waits for its name. `at` is where, relative to the workspace. */
export type StagedFile = { at: string; file: string; stats: Stats }

/** What a file is to be made of: bytes at hand, or bytes that were staged before. */
export type Bytes = { content: Uint8Array } | { staged: Staged }

/** How a file is called that had to be staged in the folder of its target. Whoever scans passes over such names. */
export const besidePrefix = '.farhand-incoming-'

/**
 * Where files are made before they get their names: a folder of this life's own below `.farhand/incoming`, which is
 * made when it is first needed. Whatever is left in it by a crash is dealt with by `leftBehind`.
 */
export class Stage {
  readonly #root: string
  readonly life = `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`
  readonly #streams = new Map<string, number>()
  #made = false
  #names = 0

  constructor(root: string) {
    this.#root = root
  }

  /** The folder, relative to the workspace. It exists, and is no link. */
  folder(): string {
    const at = `.farhand/incoming/${this.life}`
    if (this.#made) return at
    if (makeRealFolder(join(this.#root, '.farhand'))) keepFromGit(join(this.#root, '.farhand'))
    makeRealFolder(join(this.#root, '.farhand/incoming'))
    makeRealFolder(join(this.#root, at))
    this.#made = true
    return at
  }

  /** Whether the folder was made and is gone, because somebody tidied up. It will be made again. */
  isLost(): boolean {
    if (!this.#made || lstatSync(join(this.#root, this.folder()), { throwIfNoEntry: false })) return false
    this.#made = false
    return true
  }

  /** A name nobody has used, in our folder or beside a target. */
  newPlace(beside: string | null): string {
    const name = (this.#names++).toString(36)
    return beside === null ? `${this.folder()}/${name}` : join(beside, `${besidePrefix}${this.life}-${name}`)
  }

  /**
   * Makes a file, or a link, with these bytes and a time no other write will have. Nothing is left if it throws.
   * `like` are the permissions of what it will replace. Staged bytes are not copied: they are what comes out.
   */
  make(bytes: Bytes, mode: FileMode, like: number | null, beside: string | null): StagedFile {
    const isReady = 'staged' in bytes && beside === null
    const at = isReady ? bytes.staged.name : this.newPlace(beside)
    const file = `${this.#root}/${at}`
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
    this.#streams.set(name, openSync(join(this.#root, name), 'wx', 0o666))
    return { name }
  }

  /** Adds to a stream. When it throws, the stream is gone. */
  add({ name }: Staged, chunk: Uint8Array): void {
    const handle = this.#streams.get(name)
    if (handle === undefined) throw new Error('this was not staged here, or was finished before')
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
    rmSync(join(this.#root, staged.name), { force: true })
  }

  /** The bytes of a stream that has ended. */
  read({ name }: Staged): Uint8Array {
    return readFileSync(join(this.#root, name))
  }

  /** Closes what is open. What was staged and never used is removed by the next life. */
  close(): void {
    for (const name of [...this.#streams.keys()]) this.drop({ name })
  }

  #makeLink(file: string, bytes: Bytes): Stats {
    if (!('content' in bytes)) throw new Error('a link is made of bytes at hand')
    symlinkSync(Buffer.from(bytes.content), file)
    const time = oddTime()
    lutimesSync(file, time, time)
    return lstatSync(file)
  }

  #makeFile(file: string, bytes: Bytes, mode: FileMode, like: number | null): Stats {
    const source = 'staged' in bytes ? join(this.#root, bytes.staged.name) : null
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

/** Permissions that say this mode and are otherwise as they were: who may read a file is its owner's business. */
export function withMode(bits: number, mode: FileMode): number {
  const mayRead = (bits & 0o444) >> 2
  return mode === '100755' ? (bits & 0o777) | mayRead | 0o100 : bits & 0o666
}

let lastTime = 0

/**
 * Now, in seconds, with microseconds nobody has had before: kernels stamp files with the time of their last tick, so
 * that whoever writes to the file after us leaves another time behind, even within the same tick.
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

/** Makes the folder if it is missing, and says so. Throws if something else has that name: a link would lead us out. */
export function makeRealFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  if (lstatSync(folder).isDirectory()) return false
  throw Object.assign(new Error(`${folder} has to be a folder, and is something else`), { code: 'ENOTDIR' })
}

/** Nobody wants to be told by git about a folder that is none of their work. */
function keepFromGit(folder: string): void {
  writeFileSync(join(folder, '.gitignore'), '*\n')
}
