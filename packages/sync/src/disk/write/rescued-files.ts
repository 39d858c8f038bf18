import { randomBytes } from 'node:crypto'
import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Rescued } from '../../engine/disk-folder.ts'
import { hashOf, hashOfFile, modeOf } from '../index/file-entry.ts'
import { canHold, HeldFolders, isNoFolder } from '../workspace/held-folders.ts'
import { enterOwnFolder } from '../workspace/own-folder.ts'

const ourFolder = '.farhand/incoming/rescued'
/** Larger ones are not held in memory. */
const largeBytes = 1024 * 1024

/** Where a rescued version of this workspace lies. */
export const rescuedPlace = (root: string, id: string) => join(root, ourFolder, id)

/**
 * Versions that a program wrote at the very moment their file was replaced. They are no longer in the tree, and stay in a
 * folder of ours, through any crash, until the engine says that the log has them.
 */
export class RescuedFiles {
  readonly #folders: HeldFolders
  #news: Rescued[] = []

  constructor(root: string, isHolding = canHold()) {
    this.#folders = new HeldFolders(root, isHolding)
  }

  /** Finds what earlier processes rescued and the log does not have yet. */
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
      // The note comes first: a file without one would have no path.
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

  /** Entered again each time: a link that replaced our folder meanwhile must not lead us elsewhere. */
  #within(how: 'look' | 'make', work: (folder: string) => void): void {
    const held = this.#folders.anew()
    try {
      work(how === 'make' ? enterOwnFolder(held, ourFolder) : held.enter(ourFolder))
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
