import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { hashOf } from './file-entry.ts'
import { modeNumber, type PackedRow } from './file-rows.ts'
import type { KnownFiles } from './known-files.ts'

const title = 'farhand disk 2\n'
const digestBytes = 71
const rowBytes = 53
const float = new Float64Array(1)
const word = new Uint32Array(float.buffer)

/**
 * What an earlier process knew of the files here: found by their stamps, and only if their paths agree. Takes little
 * memory, because it is needed only until everything has been found once.
 */
export class HashCache {
  readonly #body: Buffer
  /** Row numbers from 1 on, each at the place its stamp says or soon after it; 0 for none. */
  readonly #places: Int32Array
  readonly #mask: number

  constructor(body: Buffer) {
    this.#body = body
    const rows = Math.floor(body.length / rowBytes)
    this.#mask = 2 ** Math.ceil(Math.log2(rows * 2 + 2)) - 1
    this.#places = new Int32Array(this.#mask + 1)
    for (let row = 1; row <= rows; row++) {
      if (body.readDoubleLE((row - 1) * rowBytes) === 0) continue
      let place = body.readUInt32LE((row - 1) * rowBytes) & this.#mask
      while (this.#places[place] !== 0) place = (place + 1) & this.#mask
      this.#places[place] = row
    }
  }

  /** What the last process knew of a path, even if the file has changed since; null for nothing. Slow: reads all rows. */
  last(path: string): { size: number; hash: BlobHash } | null {
    const body = this.#body
    const digest = digestOf(path)
    for (let at = 0; at + rowBytes <= body.length; at += rowBytes) {
      if (body.readUInt32LE(at + 17) !== digest) continue
      const hash = `sha256_${body.toString('hex', at + 21, at + rowBytes)}` as BlobHash
      return { size: body.readDoubleLE(at + 8), hash }
    }
    return null
  }

  find(path: string, stamp: number): PackedRow | null {
    const body = this.#body
    float[0] = stamp
    for (let place = word[0]! & this.#mask; ; place = (place + 1) & this.#mask) {
      const row = this.#places[place]!
      if (row === 0) return null
      const at = (row - 1) * rowBytes
      // Hard links share their stamp.
      if (body.readDoubleLE(at) !== stamp) continue
      if (body.readUInt32LE(at + 17) === digestOf(path))
        return { mode: body[at + 16]!, size: body.readDoubleLE(at + 8), from: body, hashAt: at + 21 }
    }
  }
}

/** A file that cannot be read, or is damaged, counts as empty. */
export function loadKnown(file: string): HashCache {
  try {
    const bytes = readFileSync(file)
    const body = bytes.subarray(title.length + digestBytes)
    const said = bytes.toString('latin1', 0, title.length + digestBytes)
    if (said === title + hashOf(body)) return new HashCache(body)
  } catch {
    // Not there yet, or not readable: everything is hashed again, which is all that this spares us.
  }
  return new HashCache(Buffer.alloc(0))
}

/** Saves what is known for the next process. A crash meanwhile leaves the file of before. */
export function saveKnown(file: string, known: KnownFiles): void {
  const body = Buffer.alloc(known.count * rowBytes)
  let at = 0
  for (const path of known.below('')) {
    const { entry, stamp, size } = known.get(path)!
    body.writeDoubleLE(stamp, at)
    body.writeDoubleLE(size, at + 8)
    body[at + 16] = modeNumber(entry.mode)
    body.writeUInt32LE(digestOf(path), at + 17)
    body.write(entry.hash.slice(-64), at + 21, 'hex')
    at += rowBytes
  }
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, Buffer.concat([Buffer.from(title + hashOf(body), 'latin1'), body]))
  renameSync(draft, file)
}

function digestOf(path: string): number {
  let digest = 2166136261
  for (let at = 0; at < path.length; at++) digest = Math.imul(digest ^ path.charCodeAt(at), 16777619)
  return digest >>> 0
}
