import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import type { BlobHash } from '@farhand/protocol/blob-hash'
import type { FileEntry, FileMode } from '@farhand/protocol/methods/files'
import type { KnownFiles } from './known-files.ts'
import { hashOf } from './reading.ts'

const modes: FileMode[] = ['100644', '100755', '120000']
const title = 'farhand disk 2\n'
const digestBytes = 71
const rowBytes = 53

/**
 * What an earlier life knew of the files here: found by their stamps, and only if their paths agree. Takes little
 * memory, because it is needed only until everything has been found once.
 */
export class HashCache {
  readonly #body: Buffer
  readonly #rows = new Map<number, number>()

  constructor(body: Buffer) {
    this.#body = body
    for (let at = 0; at + rowBytes <= body.length; at += rowBytes) {
      const stamp = body.readDoubleLE(at)
      if (stamp !== 0) this.#rows.set(stamp, at)
    }
  }

  find(path: string, stamp: number): { entry: FileEntry; size: number } | undefined {
    const at = this.#rows.get(stamp)
    if (at === undefined || this.#body.readUInt32LE(at + 17) !== digestOf(path)) return undefined
    const hash = `sha256_${this.#body.toString('hex', at + 21, at + rowBytes)}` as BlobHash
    return { entry: { mode: modes[this.#body[at + 16]!]!, hash }, size: this.#body.readDoubleLE(at + 8) }
  }
}

/** Whatever cannot be read, or is not whole, counts as nothing known. */
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

/** Keeps what is known for the next life. A crash meanwhile leaves what was kept before. */
export function saveKnown(file: string, known: KnownFiles): void {
  const body = Buffer.alloc(known.count * rowBytes)
  let at = 0
  for (const path of known.below('')) {
    const { entry, stamp, size } = known.get(path)!
    body.writeDoubleLE(stamp, at)
    body.writeDoubleLE(size, at + 8)
    body[at + 16] = modes.indexOf(entry.mode)
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
