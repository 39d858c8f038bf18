import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs'
import { type ContentSums, Summing, stepBytes } from '@farhand/kit/content-sums'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { hashOf } from '../index/file-entry.ts'
import { stampOf } from '../index/file-stamp.ts'
import { summedBytes, summedContents } from '../index/summed-contents.ts'

/** The contents of files up to this size are part of the report about them. */
export const smallBytes = 256 * 1024

let scratch: Buffer | null = null
const scratchFor = (size: number) => {
  scratch ??= Buffer.allocUnsafeSlow(smallBytes)
  return scratch.subarray(0, size)
}
let largeScratch: Buffer | null = null

/** Whether the first so many bytes of a file are these. What cannot be read is not. */
export function beginsWith(file: string, size: number, expected: BlobHash): boolean {
  let handle: number
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch {
    return false
  }
  try {
    const sha = createHash('sha256')
    const piece = Buffer.allocUnsafe(Math.min(size, stepBytes))
    for (let at = 0; at < size; ) {
      const bytes = readSync(handle, piece, 0, Math.min(piece.length, size - at), at)
      if (bytes === 0) return false
      sha.update(piece.subarray(0, bytes))
      at += bytes
    }
    return `sha256_${sha.digest('hex')}` === expected
  } finally {
    closeSync(handle)
  }
}

/** A symbolic link; its content is its target. Throws errors of the system. */
export function readLink(file: string) {
  const content = readlinkSync(file, 'buffer')
  const entry = { mode: '120000', hash: hashOf(content) } as const
  return { entry, size: content.length, content, unchanged: true }
}

/** Whether this error means that there is no such file any more, or something else in its place. */
export const isMissing = (error: unknown) =>
  ['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')

/**
 * Reads a file step by step, so that a large one does not block the thread: as many bytes as it had when it was looked
 * at, even if it grows meanwhile. Throws errors of the system.
 */
export class Reading {
  readonly #before: Stats
  readonly #handle: number
  readonly #like: ContentSums | null
  #summing: Summing | null = null
  #at = 0

  /** `was` is what it held before, if that is known: a large file is read faster if most of it is still the same. */
  constructor(file: string, before: Stats, was?: BlobHash) {
    this.#before = before
    this.#like = before.size < summedBytes ? null : summedContents.get(was)
    // The file may just have been replaced: a pipe must not block us, and a link must not lead elsewhere.
    this.#handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  }

  /**
   * Reads on. Null while there is more to come, then what was read. The content is there for small files only, and
   * only until the next file is read; `roomFor` returns the buffer to read into.
   */
  step(
    roomFor = scratchFor,
  ): { hash: BlobHash; size: number; content: Uint8Array | null; unchanged: boolean } | null {
    const { size } = this.#before
    if (size > smallBytes) return this.#stepThroughLarge()
    const room = roomFor(size)
    while (this.#at < size) {
      const bytes = readSync(this.#handle, room, this.#at, size - this.#at, this.#at)
      if (bytes === 0) break
      this.#at += bytes
    }
    const content = room.subarray(0, this.#at)
    return { hash: hashOf(content), size: this.#at, content, unchanged: this.#isUnchanged() }
  }

  close(): void {
    closeSync(this.#handle)
  }

  #stepThroughLarge() {
    const { size } = this.#before
    const { summer } = summedContents
    this.#summing ??= new Summing(
      size < summedBytes ? { ...summer, sum: () => '' } : summer,
      size,
      this.#like,
    )
    largeScratch ??= Buffer.allocUnsafeSlow(stepBytes)
    const wanted = Math.min(stepBytes, size - this.#at)
    let bytes = 0
    while (bytes < wanted) {
      const more = readSync(this.#handle, largeScratch, bytes, wanted - bytes, this.#at + bytes)
      if (more === 0) break
      bytes += more
    }
    this.#summing.add(largeScratch.subarray(0, bytes))
    this.#at += bytes
    if (bytes === wanted && this.#at < size) return null
    const sums = this.#summing.end()
    const hash = `sha256_${sums.hex}` as BlobHash
    if (this.#at === size && size >= summedBytes) summedContents.remember(hash, sums)
    return { hash, size: this.#at, content: null, unchanged: this.#isUnchanged() }
  }

  #isUnchanged(): boolean {
    return this.#at === this.#before.size && stampOf(fstatSync(this.#handle)) === stampOf(this.#before)
  }
}
