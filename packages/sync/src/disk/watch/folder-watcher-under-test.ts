import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { DiskReport } from '../../engine/disk-folder.ts'
import { unpackSeen } from '../report/packed-seen.ts'
import { FolderWatcher, type FolderWatcherOptions } from './folder-watcher.ts'

export const hashOf = (bytes: string | Uint8Array) =>
  `sha256_${createHash('sha256').update(bytes).digest('hex')}`

/** A folder for one test. */
export function makeFolder() {
  const top = mkdtempSync(path.join(tmpdir(), 'farhand-eyes-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const root = path.join(top, 'workspace')
  const state = path.join(top, 'state')
  for (const folder of [root, state]) mkdirSync(folder)
  const at = (name: string) => path.join(root, name)
  const write = (name: string, text: string | Uint8Array = name) => {
    mkdirSync(path.dirname(at(name)), { recursive: true })
    writeFileSync(at(name), text)
  }
  return { top, root, state, at, write }
}

type Folder = Pick<ReturnType<typeof makeFolder>, 'root' | 'state'>

/** FolderWatcher on a folder, and what they have said of it so far. */
export class Watched {
  readonly reports: DiskReport[] = []
  /** What the folder holds, going by the reports. */
  readonly told = new Map<string, string>()
  readonly skips = new Map<string, string>()
  /** Those of them of which only the beginning was told before. */
  readonly outgrown = new Set<string>()
  readonly #folder: Folder
  readonly #waiting: { isTrue: () => boolean; resolve: () => void }[] = []
  #eyes: FolderWatcher | null = null

  constructor(folder: Folder, options: Partial<FolderWatcherOptions> = {}) {
    this.#folder = folder
    this.#eyes = new FolderWatcher(
      { ...folder, maxFileBytes: 50 * 1024 * 1024, ...options },
      ({ packed, ...report }) => {
        this.#hear({ seen: unpackSeen(packed), ...report })
        queueMicrotask(() => this.#eyes?.reportHandled())
      },
    )
    onTestFinished(() => this.close())
  }

  get eyes(): FolderWatcher {
    return this.#eyes!
  }

  get last(): DiskReport {
    return this.reports.at(-1)!
  }

  /** Every path that was reported, in order, as often as it was. */
  get paths(): string[] {
    return this.reports.flatMap(({ seen }) => seen.map(({ path }) => path as string))
  }

  /** Comes back when this is true after some report; the test's own time limit is the only one. */
  async until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return
    await new Promise<void>((resolve) => this.#waiting.push({ isTrue, resolve }))
  }

  scanned = () => this.until(() => this.last?.scanned === true)

  /** Comes back when the reports say exactly what is on the disk. */
  inStep = () => this.until(() => this.isInStep())

  isInStep(): boolean {
    const there = filesIn(this.#folder.root)
    return there.size === this.told.size && [...there].every(([name, entry]) => this.told.get(name) === entry)
  }

  close(): void {
    this.#eyes?.close()
    this.#eyes = null
  }

  #hear(report: DiskReport): void {
    this.reports.push(report)
    for (const { path, entry, content } of report.seen) {
      if (content && hashOf(content) !== entry?.hash)
        throw new Error(`${path} came with other bytes than its own`)
      this.skips.delete(path)
      if (entry) this.told.set(path, `${entry.mode} ${entry.hash}`)
      else this.told.delete(path)
    }
    for (const { path, why, grew } of report.skipped) {
      if (grew) this.outgrown.add(path)
      this.told.delete(path)
      this.skips.set(path, why)
    }
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.isTrue()) waiting.resolve()
      else this.#waiting.push(waiting)
    }
  }
}

/** What is in a folder, except for git's own files. */
export function filesIn(root: string): Map<string, string> {
  const files = new Map<string, string>()
  const enter = (folder: string) => {
    for (const name of readdirSync(path.join(root, folder))) {
      const here = folder === '' ? name : `${folder}/${name}`
      const file = path.join(root, here)
      const stats = lstatSync(file, { throwIfNoEntry: false })
      if (!stats || here === '.git') continue
      if (stats.isDirectory()) enter(here)
      else if (stats.isSymbolicLink()) files.set(here, `120000 ${hashOf(readlinkSync(file))}`)
      else
        files.set(
          here.normalize('NFC'),
          `${stats.mode & 0o100 ? '100755' : '100644'} ${hashOf(readFileSync(file))}`,
        )
    }
  }
  enter('')
  return files
}
