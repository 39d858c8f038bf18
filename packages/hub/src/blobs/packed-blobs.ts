import type { BlobHash } from '@farhand/protocol/blob-hash'
import { blobHeadBytes, missingRecord } from '@farhand/protocol/pack'
import { type Brought, brought, nameOf, verify, type WholeBlob } from './brought.ts'
import { firstStretch } from './first-stretch.ts'
import type { Found, PackIndex, Place } from './pack-index.ts'
import { writeNote } from './segment-note.ts'
import type { Segments } from './segments.ts'

/** A blob that is durable now. Without a place it lies in a file of its own. */
export type StoredBlob = {
  hash: BlobHash
  size: number
  place: Place | null
  /** It was appended just now, and its segment says whose it is: to remember it need not wait for the disk. */
  isNoted?: true
}

/** Has it written down who has the blobs. Those that are noted it must take before it lets others go on. */
export type Remember = (stored: readonly StoredBlob[]) => Promise<void>

// To find out whether so little is there already takes longer than to write it once more.
const notLookedUp = 16 * 1024
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

  /**
   * Makes the blobs durable, those that are not yet, then has them remembered. Throws `blob.mismatch` before that.
   * Those that are appended are noted there as the owner's.
   */
  async put(all: Brought, owner: string, remember: Remember): Promise<void> {
    verify(all)
    const storing = this.#store(all, owner, remember)
    this.#storing.add(storing)
    try {
      await storing
    } finally {
      this.#storing.delete(storing)
    }
  }

  async #store({ pack, blobs }: Brought, owner: string, remember: Remember): Promise<void> {
    const known = await this.#known(blobs)
    if (known.size === 0) return this.#append({ pack, blobs }, owner, remember)
    const there: StoredBlob[] = []
    for (const [hash, found] of known) there.push({ hash, ...found })
    const fresh = blobs.filter(({ hash }) => !known.has(hash))
    if (fresh.length === 0) return remember(there)
    await this.#append({ pack, blobs: fresh }, owner, (stored) => remember([...stored, ...there]))
  }

  async #known(blobs: Brought['blobs']): Promise<Map<BlobHash, Found>> {
    const hashes = blobs.map(({ hash }) => hash)
    let bytes = 0
    for (const { size } of blobs) bytes += size
    return bytes <= notLookedUp ? this.#index.remembered(hashes) : this.#index.find(hashes)
  }

  #append<Result>(
    { pack, blobs }: Brought,
    owner: string | null,
    landed: (stored: StoredBlob[]) => Promise<Result>,
  ): Promise<Result> {
    const note = writeNote({ owner, at: Date.now() })
    const pieces = [note]
    // As they travel, so they lie: neighbours are one stretch.
    for (let nth = 0; nth < blobs.length; ) {
      const from = blobs[nth]!.at - blobHeadBytes
      let to = from
      for (; nth < blobs.length && blobs[nth]!.at - blobHeadBytes === to; nth++)
        to = blobs[nth]!.at + blobs[nth]!.size
      for (const view of pack.views(from, to - from)) pieces.push(view)
    }
    return this.#segments.append(pieces, ({ segment, start }) => {
      let end = start + note.length
      return landed(
        blobs.map(({ hash, size }) => {
          const place = { segment, start: end + blobHeadBytes }
          end = place.start + size
          return { hash, size, place, isNoted: true }
        }),
      )
    })
  }

  /** Gives the index back what it had not written down when an earlier process ended. */
  async recover(): Promise<void> {
    const settled = await this.#index.settledUpTo()
    const { found, upTo } = this.#segments.unsettled(settled ?? this.#segments.end())
    const isSettled = settled?.segment === upTo.segment && settled.start === upTo.start
    if (!isSettled) await this.#index.recover(found, upTo)
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
    const found = await this.#index.find(hashes, { asWritten: true })
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
        if (bytes && nameOf([bytes]) === hash) blobs.push({ hash, bytes })
      }
      if (blobs.length === 0) continue
      await this.#append(brought(blobs), null, (moved) =>
        this.#index.move(
          segment,
          moved.map(({ hash, place }) => ({ hash, to: place! })),
        ),
      )
    }
  }

  async #settled(): Promise<void> {
    await Promise.allSettled([...this.#storing])
  }

  async close(): Promise<void> {
    await this.#settled()
    // If it cannot be written down now, it is found at the next start.
    await this.#index.settle().catch(() => {})
    await this.#segments.close()
  }
}
