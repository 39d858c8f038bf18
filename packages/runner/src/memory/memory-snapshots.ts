import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sleep } from '@farhand/kit/sleep'
import type { MemoryFile, MemoryList } from '@farhand/protocol/schemas/memory-list'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { MemoryFilter } from './memory-filter.ts'
import { type SeenFile, scanFolder } from './scan-folder.ts'

/** Limits of what travels, in bytes and in blobs; an event names at most 1,000 blobs. */
export const mostMemory = { bytes: 64 * 1024 * 1024, blobs: 999 }

/** Files are stored in parts of this size: a file that grows, or a database with one changed page, costs one part. */
const partBytes = 128 * 1024
const tries = 4
const pauseMs = 40

export type Snapshot =
  | { is: 'taken'; list: MemoryList; contents: ReadonlyMap<BlobHash, Uint8Array> }
  /** A process keeps writing to it: files read now would not fit together. */
  | { is: 'unsteady' }
  | { is: 'too-large' }
  /** It contains a secret that cannot be removed. */
  | { is: 'secret' }

type Read = { stamp: string; size: number; parts: BlobHash[] }

/** Takes consistent snapshots of the agent's files; unchanged files are not read again. */
export class MemorySnapshots {
  readonly #folder: string
  readonly #filter: MemoryFilter
  readonly #clean: (bytes: Buffer) => Buffer | null
  #read = new Map<WorkspacePath, Read>()

  /** `clean` gives the bytes that may travel; null if none may. */
  constructor(
    folder: string,
    filter: MemoryFilter,
    clean: (bytes: Buffer) => Buffer | null = (bytes) => bytes,
  ) {
    this.#folder = folder
    this.#clean = clean
    this.#filter = filter
  }

  /** After this, the next snapshot brings all contents again. */
  forget(): void {
    this.#read.clear()
  }

  /** To be called while the agent is idle, so that a database and its write-ahead log fit together. */
  async take(signal: AbortSignal): Promise<Snapshot> {
    for (let nth = 1; nth <= tries; nth++) {
      const before = scanFolder(this.#folder, this.#filter)
      if (!before || isTooLarge(before)) return { is: 'too-large' }
      const taken = await this.#readAll(before)
      if (taken === 'secret') return { is: 'secret' }
      const after = scanFolder(this.#folder, this.#filter)
      if (taken && after && isSame(before, after)) {
        const blobs = new Set(taken.files.flatMap(({ parts }) => parts)).size
        if (blobs > mostMemory.blobs) return { is: 'too-large' }
        this.#read = taken.read
        return { is: 'taken', list: { files: taken.files }, contents: taken.contents }
      }
      await sleep(pauseMs * nth, { signal })
    }
    return { is: 'unsteady' }
  }

  /** Null if a file disappeared while it was read. */
  async #readAll(seen: ReadonlyMap<WorkspacePath, SeenFile>) {
    const files: MemoryFile[] = []
    const contents = new Map<BlobHash, Uint8Array>()
    const read = new Map<WorkspacePath, Read>()
    for (const [path, { mode, stamp }] of seen) {
      let known = this.#read.get(path)
      if (known?.stamp !== stamp) {
        const bytes = await readFile(join(this.#folder, path)).catch(() => null)
        if (!bytes) return null
        const clean = this.#clean(bytes)
        if (!clean) return 'secret'
        known = { stamp, size: clean.length, parts: partsOf(clean, contents) }
      }
      read.set(path, known)
      files.push({ path, mode, size: known.size, parts: known.parts })
    }
    files.sort((a, b) => (a.path < b.path ? -1 : 1))
    return { files, contents, read }
  }
}

function partsOf(bytes: Buffer, contents: Map<BlobHash, Uint8Array>): BlobHash[] {
  const parts: BlobHash[] = []
  for (let from = 0; from < bytes.length; from += partBytes) {
    const part = bytes.subarray(from, from + partBytes)
    const name = blobHashOf(part)
    contents.set(name, part)
    parts.push(name)
  }
  return parts
}

export const blobHashOf = (bytes: Uint8Array) => BlobHash.parse(`sha256_${hash('sha256', bytes, 'hex')}`)

function isTooLarge(seen: ReadonlyMap<unknown, SeenFile>): boolean {
  let bytes = 0
  for (const { size } of seen.values()) bytes += size
  return bytes > mostMemory.bytes || seen.size > mostMemory.blobs
}

function isSame(a: ReadonlyMap<WorkspacePath, SeenFile>, b: ReadonlyMap<WorkspacePath, SeenFile>): boolean {
  return a.size === b.size && [...a].every(([path, { stamp }]) => b.get(path)?.stamp === stamp)
}
