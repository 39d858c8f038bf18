import type { Stats } from 'node:fs'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { isMissing, Reading, readLink } from '../content/reading.ts'
import type { PendingReport } from '../report/pending-report.ts'
import type { FileRead } from './scan-parts.ts'
import type { WriteWaits } from './write-waits.ts'

type Begun = {
  path: WorkspacePath
  stats: Stats
  reading: Reading
  nowMs: number
  costMs: number
  isWritten: boolean
}

type FileReadsParts = {
  pending: PendingReport
  waits: WriteWaits
  /** The hash of the file when it was last read. */
  was: (path: WorkspacePath) => BlobHash | undefined
  /** Called with what was read. `nowMs` is when the file was looked at, before it was read. */
  took: (path: WorkspacePath, stats: Stats, nowMs: number, whole: FileRead, costMs: number) => void
  /** It changed meanwhile, or has gone: it is to be looked at again, at this time. */
  recheck: (path: WorkspacePath, atMs: number) => void
  unreadable: (path: WorkspacePath) => void
}

/** Reads files, one at a time, and a large one piece by piece. Never throws errors of the system. */
export class FileReads {
  readonly #parts: FileReadsParts
  #begun: Begun | null = null

  constructor(parts: FileReadsParts) {
    this.#parts = parts
  }

  /** Whether a file has been read in part. */
  get isBusy(): boolean {
    return this.#begun !== null
  }

  /** A small file is read at once, though a large one has been read in part. */
  begin(path: WorkspacePath, file: string, stats: Stats, nowMs: number): void {
    this.drop(path)
    try {
      if (stats.isSymbolicLink()) this.#parts.took(path, stats, nowMs, readLink(file), 0)
      else {
        const reading = new Reading(file, stats, this.#parts.was(path))
        this.#read({ path, stats, reading, nowMs, costMs: 0, isWritten: false })
      }
    } catch (error) {
      this.#failed(path, nowMs, error)
    }
  }

  /** Reads the next piece. */
  readOn(): void {
    const begun = this.#begun
    this.#begun = null
    if (begun) this.#read(begun)
  }

  /** Something else is there by now, or nothing: what was read of this path, or below it, counts for nothing. */
  drop(path: string): void {
    if (!this.#begun || !isAtOrBelow(this.#begun.path, path)) return
    this.#begun.reading.close()
    this.#begun = null
  }

  /** If this is so of the file that has been read in part, it is looked at again before it is reported. */
  doubtIf(isSo: (path: WorkspacePath, size: number) => boolean): void {
    if (!this.#begun || !isSo(this.#begun.path, this.#begun.stats.size)) return
    this.#parts.recheck(this.#begun.path, 0)
    this.drop(this.#begun.path)
  }

  /** A program wrote to this path: what is being read may be half of the old and half of the new version. */
  written(path: string): void {
    if (this.#begun?.path === path) this.#begun.isWritten = true
  }

  #read(begun: Begun): void {
    const { path, stats, reading, nowMs } = begun
    let isOver = true
    try {
      const startMs = performance.now()
      const read = reading.step((size) => this.#parts.pending.roomFor(size))
      begun.costMs += performance.now() - startMs
      if (!read) {
        isOver = false
        this.#begun = begun
        return
      }
      const unchanged = read.unchanged && !begun.isWritten
      const retryMs = unchanged ? null : this.#parts.waits.retryAt(path, Date.now())
      if (retryMs === null) {
        const mode = stats.mode & 0o100 ? '100755' : '100644'
        this.#parts.took(
          path,
          stats,
          nowMs,
          { ...read, unchanged, entry: { mode, hash: read.hash } },
          begun.costMs,
        )
      } else this.#parts.recheck(path, retryMs)
    } catch (error) {
      this.#failed(path, nowMs, error)
    } finally {
      if (isOver) reading.close()
    }
  }

  #failed(path: WorkspacePath, nowMs: number, error: unknown): void {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    if (isMissing(error)) this.#parts.recheck(path, nowMs)
    else this.#parts.unreadable(path)
  }
}

const isAtOrBelow = (path: string, above: string) =>
  above === '' || (path.startsWith(above) && (path.length === above.length || path[above.length] === '/'))
