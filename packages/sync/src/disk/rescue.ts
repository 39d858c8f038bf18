import { createHash, hash, randomBytes } from 'node:crypto'
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Rescued } from '../disk-folder.ts'
import { canHold, HeldFolders, isNoFolder } from './held-folders.ts'
import { enterOurs } from './stage.ts'

const ourFolder = '.farhand/incoming/rescued'
/** Larger ones are not held in memory. */
const largeBytes = 1024 * 1024

/** Where a rescued version of this workspace lies. */
export const rescuedPlace = (root: string, id: string) => join(root, ourFolder, id)

/**
 * Versions that somebody wrote at the very moment their file was replaced. They are no longer in the tree, and stay
 * in a folder of ours, through any crash, until someone says that they are kept elsewhere.
 */
export class RescuedFiles {
  readonly #folders: HeldFolders
  #news: Rescued[] = []

  constructor(root: string, isHolding = canHold()) {
    this.#folders = new HeldFolders(root, isHolding)
  }

  /** What earlier lives rescued and nobody took. */
  load(): void {
    this.#within('look', (folder) => {
      const names = readdirSync(folder)
      for (const name of names.filter((name) => name.endsWith('.json'))) this.#tell(folder, name.slice(0, -5))
    })
  }

  /** Takes a file out of its place. What is no file or link any more has no bytes to rescue. */
  take(file: string, path: WorkspacePath): void {
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (!stats?.isFile() && !stats?.isSymbolicLink()) return
    const id = randomBytes(8).toString('hex')
    this.#within('make', (folder) => {
      // First what it is, then itself: a file that nothing is known of could not be kept by any name.
      writeFileSync(join(folder, `${id}.json`), JSON.stringify({ path }), { mode: 0o600 })
      renameSync(file, join(folder, id))
      this.#tell(folder, id)
    })
  }

  /** What was rescued since it was last asked. */
  news(): Rescued[] {
    const news = this.#news
    this.#news = []
    return news
  }

  /** These are kept elsewhere now. */
  release(ids: readonly string[]): void {
    this.#within('look', (folder) => {
      for (const id of ids) {
        rmSync(join(folder, id), { force: true })
        rmSync(join(folder, `${id}.json`), { force: true })
      }
    })
  }

  /** Entered anew each time: whatever took the place of a folder of ours since must not lead us elsewhere. */
  #within(how: 'look' | 'make', work: (folder: string) => void): void {
    const held = this.#folders.anew()
    try {
      work(how === 'make' ? enterOurs(held, ourFolder) : held.enter(ourFolder))
    } catch (error) {
      // Nothing was ever rescued here.
      if (how === 'make' || !isNoFolder(error)) throw error
    } finally {
      held.release()
    }
  }

  #tell(folder: string, id: string): void {
    const file = join(folder, id)
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (!stats) {
      rmSync(`${file}.json`, { force: true })
      return
    }
    const { path } = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as { path: WorkspacePath }
    if (stats.isFile() && stats.size > largeBytes) {
      const entry: FileEntry = { mode: modeOf(stats), hash: hashOfFile(file, stats.size) }
      this.#news.push({ id, path, entry, size: stats.size })
      return
    }
    const content = stats.isSymbolicLink() ? readlinkSync(file, 'buffer') : readFileSync(file)
    const entry: FileEntry = { mode: modeOf(stats), hash: hashOf(content) }
    this.#news.push({ id, path, entry, size: content.length, content })
  }
}

export const modeOf = (stats: Stats): FileEntry['mode'] =>
  stats.isSymbolicLink() ? '120000' : stats.mode & 0o100 ? '100755' : '100644'

/** The entry at this place, whatever its size; null for what is neither file nor link, or cannot be read. */
export function entryAt(file: string): FileEntry | null {
  try {
    const stats = lstatSync(file)
    if (stats.isSymbolicLink()) return { mode: '120000', hash: hashOf(readlinkSync(file, 'buffer')) }
    return stats.isFile() ? { mode: modeOf(stats), hash: hashOfFile(file, stats.size) } : null
  } catch {
    return null
  }
}

export const isSameEntry = (one: FileEntry | null | undefined, other: FileEntry | null | undefined) =>
  one === other || (!!one && !!other && one.mode === other.mode && one.hash === other.hash)

/** The name of a blob with these bytes. */
export const hashOf = (bytes: Uint8Array) => `sha256_${hash('sha256', bytes)}` as BlobHash

const pieceBytes = 1024 * 1024

function hashOfFile(file: string, size: number): BlobHash {
  if (size <= pieceBytes) return hashOf(readFileSync(file))
  const sha = createHash('sha256')
  const piece = Buffer.allocUnsafe(pieceBytes)
  const handle = openSync(file, 'r')
  try {
    for (let read = readSync(handle, piece); read > 0; read = readSync(handle, piece)) {
      sha.update(piece.subarray(0, read))
    }
  } finally {
    closeSync(handle)
  }
  return `sha256_${sha.digest('hex')}` as BlobHash
}
