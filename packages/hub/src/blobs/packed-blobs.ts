import { createHash } from 'node:crypto'
import type { BlobHash } from '@farhand/protocol/blob-hash'
import { Fault } from '@farhand/protocol/faults'
import { blobHead, blobHeadBytes, missingRecord } from '@farhand/protocol/pack'
import { firstStretch } from './first-stretch.ts'
import type { PackIndex, Place } from './pack-index.ts'
import type { Segments } from './segments.ts'

/** A blob with its bytes, small enough to be held in memory. */
export type WholeBlob = { hash: BlobHash; bytes: Uint8Array }
/** A blob that is durable now. Without a place it lies in a file of its own. */
export type StoredBlob = { hash: BlobHash; size: number; place: Place | null }

const movedAtOnce = 200
const stretchBytes = 1024 * 1024

/**
 * Small blobs side by side in segments, each as it stands in a pack: head, then bytes. What is where is known to the
 * index alone, which is written by whoever remembers the blobs; bytes that nobody remembered are as good as free.
 */
export class PackedBlobs {
  readonly #segments: Segments
  readonly #index: PackIndex
  /** Everyone who may hold a place and has not yet had it remembered. */
  readonly #storing = new Set<Promise<unknown>>()

  constructor(segments: Segments, index: PackIndex) {
    this.#segments = segments
    this.#index = index
  }

  /** Makes the blobs durable, those that are not yet, then has them remembered. Throws `blob.mismatch` before that. */
  async put(
    blobs: readonly WholeBlob[],
    remember: (stored: readonly StoredBlob[]) => Promise<void>,
  ): Promise<void> {
    for (const { hash, bytes } of blobs) {
      if (nameOf(bytes) !== hash) {
        throw new Fault('blob.mismatch', 'the bytes do not hash to their name; send them again', {
          hashes: [hash],
        })
      }
    }
    const storing = this.#store(blobs).then(remember)
    this.#storing.add(storing)
    try {
      await storing
    } finally {
      this.#storing.delete(storing)
    }
  }

  async #store(blobs: readonly WholeBlob[]): Promise<StoredBlob[]> {
    const known = await this.#index.find(blobs.map((blob) => blob.hash))
    const fresh = blobs.filter(({ hash }) => !known.has(hash))
    const stored = blobs.flatMap(({ hash }) => {
      const found = known.get(hash)
      return found ? { hash, ...found } : []
    })
    return [...stored, ...(await this.#append(fresh))]
  }

  async #append(blobs: readonly WholeBlob[]): Promise<StoredBlob[]> {
    if (blobs.length === 0) return []
    const pieces = blobs.flatMap(({ hash, bytes }) => [blobHead(hash, bytes.length), bytes])
    let { segment, start } = await this.#segments.append(pieces)
    return blobs.map(({ hash, bytes }) => {
      const place = { segment, start: start + blobHeadBytes }
      start = place.start + bytes.length
      return { hash, size: bytes.length, place }
    })
  }

  /** The blob, whole, or null if it is not in a segment. */
  async get(hash: BlobHash): Promise<Buffer | null> {
    for (;;) {
      const found = (await this.#index.find([hash])).get(hash)
      if (!found?.place) return null
      const { segment, start } = found.place
      const bytes = await this.#segments.read(segment, start, found.size)
      if (bytes) return bytes
      await this.#mustHaveMoved([hash], segment)
    }
  }

  /** The size, or null if it is not in a segment. */
  async size(hash: BlobHash): Promise<number | null> {
    const found = (await this.#index.find([hash])).get(hash)
    return found?.place ? found.size : null
  }

  /** Records of a pack, neighbours in one piece, in the order asked. `inFile` gives those that lie in files. */
  async *records(
    hashes: readonly BlobHash[],
    mayRead: ReadonlySet<BlobHash>,
    inFile: (hash: BlobHash) => AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    const wanted = hashes.filter((hash) => mayRead.has(hash))
    let found = await this.#index.find(wanted)
    for (let at = 0; at < hashes.length; ) {
      const hash = hashes[at]!
      const stretch = firstStretch(hashes, found, stretchBytes, at)
      if (!stretch) {
        if (found.has(hash)) yield* inFile(hash)
        else yield missingRecord(hash)
        at++
        continue
      }
      const bytes = await this.#segments.read(stretch.segment, stretch.start, stretch.bytes)
      if (bytes) {
        yield bytes
        at += stretch.count
        continue
      }
      await this.#mustHaveMoved(hashes.slice(at, at + stretch.count), stretch.segment)
      found = await this.#index.find(wanted)
    }
  }

  /** A segment that is gone is no trouble if what was in it is somewhere else by now, or nowhere. */
  async #mustHaveMoved(hashes: readonly BlobHash[], segment: number): Promise<void> {
    const found = await this.#index.find(hashes)
    if (![...found.values()].some(({ place }) => place?.segment === segment)) return
    throw new Error(`segment ${segment} is missing, and blobs are said to be in it`)
  }

  /**
   * Gives back the space of blobs that nobody has any more: deletes segments that hold nothing else, and writes what
   * is left in those that are more than half empty to the end of the newest. Says how many are gone.
   */
  async tidy(signal?: AbortSignal): Promise<{ removed: number }> {
    let removed = 0
    for (const segment of this.#segments.finished()) {
      if (signal?.aborted) break
      // Whoever began before the segment was finished may have bytes in it that are not remembered yet.
      await this.#settled()
      const used = await this.#index.usedBytes(segment)
      if (used * 2 > this.#segments.size(segment)) continue
      await this.#moveOut(segment, signal)
      // Whoever asked for a place before it moved has it remembered by now, and then it shows here.
      await this.#settled()
      if ((await this.#index.used(segment)).length > 0) continue
      this.#segments.remove(segment)
      removed++
    }
    return { removed }
  }

  async #moveOut(segment: number, signal?: AbortSignal): Promise<void> {
    const used = await this.#index.used(segment)
    for (let at = 0; at < used.length && !signal?.aborted; at += movedAtOnce) {
      const blobs: WholeBlob[] = []
      for (const { hash, start, size } of used.slice(at, at + movedAtOnce)) {
        const bytes = await this.#segments.read(segment, start, size)
        // Damaged bytes stay where they are, for somebody to look at; and so does their segment.
        if (bytes && nameOf(bytes) === hash) blobs.push({ hash, bytes })
      }
      const moved = await this.#append(blobs)
      await this.#index.move(
        segment,
        moved.map(({ hash, place }) => ({ hash, to: place! })),
      )
    }
  }

  async #settled(): Promise<void> {
    await Promise.allSettled([...this.#storing])
  }

  async close(): Promise<void> {
    await this.#settled()
    await this.#segments.close()
  }
}

const nameOf = (bytes: Uint8Array) => `sha256_${createHash('sha256').update(bytes).digest('hex')}`
