import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { Fault } from '@farhand/protocol/wire/faults'

const dayMs = 24 * 60 * 60 * 1000
/** After this time bytes are hashed again at the next read, as disks may lose data silently. */
const trustedMs = 7 * dayMs
const mostInGeneration = 50_000

type Checked = { size: number; at: number }

/** Which blobs were found to match their hashes, and when; and which were found damaged. In memory only. */
export class VerifiedBlobs {
  readonly #now: () => number
  readonly #bad = new Set<BlobHash>()
  #young = new Map<BlobHash, Checked>()
  #old = new Map<BlobHash, Checked>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Whether the blob, with this size, was verified recently. */
  has(hash: BlobHash, size: number): boolean {
    const checked = this.#young.get(hash) ?? this.#old.get(hash)
    return checked?.size === size && this.#now() - checked.at < trustedMs
  }

  isDamaged(hash: BlobHash): boolean {
    return this.#bad.has(hash)
  }

  markGood(hash: BlobHash, size: number): void {
    this.#bad.delete(hash)
    if (this.#young.size >= mostInGeneration) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(hash, { size, at: this.#now() })
  }

  markDamaged(hash: BlobHash): void {
    this.forget(hash)
    this.#bad.add(hash)
  }

  forget(hash: BlobHash): void {
    this.#bad.delete(hash)
    this.#young.delete(hash)
    this.#old.delete(hash)
  }
}

/** `blob.unknown`, so that readers treat the blob as missing and a client that has it uploads it again. */
export const damaged = () =>
  new Fault('blob.unknown', 'the bytes of this blob are damaged on the disk of the hub; store it again')
