import {
  close,
  closeSync,
  fstatSync,
  openSync,
  read,
  readdirSync,
  statSync,
  unlinkSync,
  writev,
  writevSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { DiskSync } from './disk-sync.ts'
import type { Place, Recovered } from './pack-index.ts'
import { readUnsettled } from './read-unsettled.ts'
import { RecentAppends } from './recent-appends.ts'
import type { Trash } from './trash.ts'

const readFrom = promisify(read)
const writeAll = promisify(writev)
const closeFile = promisify(close)

// Few bytes are written synchronously into the page cache; another thread would take longer.
const writtenAtOnce = 64 * 1024
// The system's limit on the number of buffers in one call.
const piecesPerWrite = 1024

type Waiting = { at: number; landed: (place: Place) => void; reject: (error: unknown) => void }
type Group = { pieces: Uint8Array[]; bytes: number; waiting: Waiting[] }
type Current = { segment: number; fd: number | null; size: number }

/**
 * Append-only files, numbered from 1. Appends made while the disk is busy share the next sync. Bytes of an append that a crash
 * interrupted stay in the file; they were never acknowledged.
 */
export class Segments {
  readonly #dir: string
  readonly #sync: DiskSync
  readonly #mostBytes: number
  readonly #trash: Trash
  #current: Current
  readonly #fresh = new RecentAppends()
  #gathering: Group | null = null
  #flushing: Promise<void> | null = null

  /** `lastUsed` is the highest segment with a known blob, whether its file exists or not. */
  constructor(dir: string, sync: DiskSync, lastUsed: number, mostBytes: number, trash: Trash) {
    this.#dir = dir
    this.#sync = sync
    this.#mostBytes = mostBytes
    this.#trash = trash
    const last = this.numbers().at(-1) ?? 0
    const goesOn = last >= Math.max(1, lastUsed)
    this.#current = goesOn
      ? { segment: last, fd: null, size: statSync(this.#path(last)).size }
      : // A number that rows still name is never reused: they would read other bytes there.
        { segment: lastUsed, fd: null, size: Number.POSITIVE_INFINITY }
  }

  /**
   * Finds the blobs appended after a place, and the current end. After a segment that does not end at the end of a record, the next append
   * begins a new segment.
   */
  unsettled(from: Place): { found: Recovered[]; upTo: Place } {
    const { segment: last, size } = this.#current
    // New appends must come after the settled place, or the next start would not find them.
    if (from.segment > last) this.#current.segment = from.segment - 1
    if (from.segment > last || (from.segment === last && from.start > size))
      this.#current.size = Number.POSITIVE_INFINITY
    const found: Recovered[] = []
    for (const segment of this.numbers()) {
      if (segment < from.segment) continue
      const start = segment === from.segment ? from.start : 0
      const read = readUnsettled(this.#path(segment), segment, start)
      found.push(...read.found)
      if (!read.whole && segment === this.#current.segment) this.#current.size = Number.POSITIVE_INFINITY
    }
    return { found, upTo: this.end() }
  }

  /** Where the next append would begin, or a place after that. */
  end(): Place {
    const { segment, size } = this.#current
    return size < this.#mostBytes ? { segment, start: size } : { segment: segment + 1, start: 0 }
  }

  /** The numbers of the existing segments, in order. */
  numbers(): number[] {
    const names = readdirSync(this.#dir).flatMap((name) => /^([1-9]\d*)\.pack$/.exec(name)?.[1] ?? [])
    return names.map(Number).sort((a, b) => a - b)
  }

  /** The segments that get no more appends. */
  finished(): number[] {
    return this.numbers().filter((segment) => segment < this.#current.segment)
  }

  /** The length of a segment's file; infinite if it is missing, as its blobs may have been moved. */
  length(segment: number): number {
    if (segment === this.#current.segment && this.#current.fd !== null)
      return fstatSync(this.#current.fd).size
    return statSync(this.#path(segment), { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY
  }

  size(segment: number): number {
    return statSync(this.#path(segment)).size
  }

  /**
   * Appends the pieces as one stretch. Once it is durable, `landed` is called with its place, in the order of all appends; resolves to the
   * result of that call.
   */
  append<Result>(
    pieces: readonly Uint8Array[],
    landed: (place: Place) => Result | Promise<Result>,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#gathering ??= { pieces: [], bytes: 0, waiting: [] }
      const group = this.#gathering
      const land = (place: Place) => {
        try {
          resolve(landed(place))
        } catch (error) {
          reject(error)
        }
      }
      group.waiting.push({ at: group.bytes, landed: land, reject })
      for (const piece of pieces) {
        group.pieces.push(piece)
        group.bytes += piece.length
      }
      this.#flushing ??= this.#flushAll()
    })
  }

  /**
   * The bytes at a place. Null if the segment does not exist, as its blobs were moved or are unused. `cut` if the segment ends before
   * them.
   */
  async read(segment: number, start: number, length: number): Promise<Buffer | null | 'cut'> {
    const fresh = this.#fresh.find(segment, start, length)
    if (fresh) return fresh
    let fd: number
    try {
      fd = openSync(this.#path(segment), 'r')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
    try {
      const bytes = Buffer.allocUnsafe(length)
      for (let at = 0; at < length; ) {
        const { bytesRead } = await readFrom(fd, bytes, at, length - at, start + at)
        if (bytesRead === 0) return 'cut'
        at += bytesRead
      }
      return bytes
    } finally {
      closeSync(fd)
    }
  }

  /** Moves a finished segment to the trash. Reads in progress are not disturbed. */
  async remove(segment: number): Promise<void> {
    this.#fresh.drop(segment)
    await this.#trash.take(this.#path(segment), `${segment}.pack`)
  }

  async close(): Promise<void> {
    await this.#flushing
    if (this.#current.fd !== null) await closeFile(this.#current.fd)
    this.#current = { ...this.#current, fd: null }
  }

  async #flushAll(): Promise<void> {
    for (let group = this.#gathering; group; group = this.#gathering) {
      this.#gathering = null
      try {
        const { segment, start } = await this.#store(group)
        for (const { at, landed } of group.waiting) landed({ segment, start: start + at })
      } catch (error) {
        try {
          this.#giveUp()
        } finally {
          for (const { reject } of group.waiting) reject(error)
        }
      }
    }
    this.#flushing = null
  }

  async #store({ pieces, bytes }: Group): Promise<Place> {
    const { fd, segment, size: start, justOpened } = this.#writable()
    const together = bytes <= writtenAtOnce ? Buffer.concat(pieces, bytes) : null
    await writeWhole(fd, together ? [together] : pieces, bytes, start)
    // The name too: an earlier process may have made the file and been killed before syncing its name.
    if (justOpened) await Promise.all([this.#sync.file(fd), this.#sync.folder(this.#dir)])
    else await this.#sync.file(fd, bytes)
    this.#current.size = start + bytes
    if (together) this.#fresh.push({ segment, start }, together)
    return { segment, start }
  }

  #writable() {
    const { segment, fd, size } = this.#current
    if (fd !== null && size < this.#mostBytes) return { fd, segment, size, justOpened: false }
    this.#current.fd = null
    if (fd !== null) closeSync(fd)
    const next = size < this.#mostBytes ? segment : segment + 1
    const opened = openSync(this.#path(next), next === segment ? 'r+' : 'wx', 0o600)
    this.#current = { segment: next, fd: opened, size: fstatSync(opened).size }
    return { fd: opened, segment: next, size: this.#current.size, justOpened: true }
  }

  /** After an error the state on the disk is unknown: the next append begins another segment. */
  #giveUp(): void {
    const { segment, fd, size } = this.#current
    this.#current = { segment, fd: null, size: Number.POSITIVE_INFINITY }
    if (fd === null) return
    closeSync(fd)
    if (size > 0) return
    // Otherwise retries on a full disk would leave many empty files.
    unlinkSync(this.#path(segment))
    this.#current.segment = segment - 1
  }

  #path(segment: number): string {
    return join(this.#dir, `${segment}.pack`)
  }
}

async function writeWhole(fd: number, pieces: Uint8Array[], bytes: number, position: number): Promise<void> {
  let rest = pieces
  for (let at = 0; at < bytes; ) {
    const some = rest.slice(0, piecesPerWrite)
    const written =
      bytes <= writtenAtOnce
        ? writevSync(fd, some, position + at)
        : (await writeAll(fd, some, position + at)).bytesWritten
    at += written
    rest = after(rest, written)
  }
}

/** The pieces that remain after so many bytes were written. An almost full disk may take only a part of a piece. */
function after(pieces: Uint8Array[], written: number): Uint8Array[] {
  let left = written
  let n = 0
  while (n < pieces.length && left >= pieces[n]!.length) left -= pieces[n++]!.length
  return left > 0 ? [pieces[n]!.subarray(left), ...pieces.slice(n + 1)] : pieces.slice(n)
}
