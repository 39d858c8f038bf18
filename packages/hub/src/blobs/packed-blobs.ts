import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { blobHead, blobHeadBytes, missingRecord } from '@farhand/protocol/wire/pack'
import { firstStretch } from './first-stretch.ts'
import type { Found, PackIndex, Place } from './pack-index.ts'
import { nameOf, type ReceivedBlobs, receivedBlobs, verify, type WholeBlob } from './received-blobs.ts'
import { writeNote } from './segment-note.ts'
import type { Segments } from './segments.ts'
import { damaged, type VerifiedBlobs } from './verified-blobs.ts'

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

/** Whether a blob that lies in a file of its own is there as it should be. */
export type InFile = (hash: BlobHash) => Promise<boolean>

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
  readonly #verified: VerifiedBlobs

  constructor(segments: Segments, index: PackIndex, verified: VerifiedBlobs) {
    this.#segments = segments
    this.#index = index
    this.#verified = verified
  }

  /**
   * Makes the blobs durable, those that are not yet, then has them remembered. Throws `blob.mismatch` before that.
   * Those that are appended are noted there as the owner's. Those that are there and damaged are appended, too, and found
   * there from then on.
   */
  async put(all: ReceivedBlobs, owner: string, remember: Remember, inFile: InFile): Promise<void> {
    verify(all)
    const storing = this.#store(all, owner, remember, inFile)
    this.#storing.add(storing)
    try {
      await storing
    } finally {
      this.#storing.delete(storing)
    }
  }

  async #store(
    { pack, blobs }: ReceivedBlobs,
    owner: string,
    remember: Remember,
    inFile: InFile,
  ): Promise<void> {
    const known = await this.#known(blobs)
    if (known.size === 0) return this.#append({ pack, blobs }, owner, remember)
    const there: StoredBlob[] = []
    const healed = new Set<BlobHash>()
    for (const [hash, found] of known) {
      if (await this.#isRight(hash, found, inFile)) there.push({ hash, ...found })
      else healed.add(hash)
    }
    const fresh = blobs.filter(({ hash }) => !known.has(hash) || healed.has(hash))
    if (fresh.length === 0) return remember(there)
    await this.#append({ pack, blobs: fresh }, owner, async (stored) => {
      await remember([...stored, ...there])
      const anew = stored.filter(({ hash }) => healed.has(hash))
      if (anew.length > 0) await this.#index.placeAnew(anew.map(({ hash, place }) => ({ hash, to: place! })))
    })
  }

  async #known(blobs: ReceivedBlobs['blobs']): Promise<Map<BlobHash, Found>> {
    const hashes = blobs.map(({ hash }) => hash)
    let bytes = 0
    for (const { size } of blobs) bytes += size
    const isQuick = bytes <= notLookedUp && !hashes.some((hash) => this.#verified.isDamaged(hash))
    return isQuick ? this.#index.remembered(hashes) : this.#index.find(hashes)
  }

  /** Whether the bytes that are said to be there are there. */
  async #isRight(hash: BlobHash, { size, place }: Found, inFile: InFile): Promise<boolean> {
    if (this.#verified.isDamaged(hash)) return false
    if (!place) return inFile(hash)
    if (this.#verified.has(hash, size)) return true
    const bytes = await this.#segments.read(place.segment, place.start, size)
    // A segment that is gone has been moved, or is a matter for whoever reads it.
    return bytes === null || this.#check(hash, size, bytes)
  }

  /** Whether it is said to lie in a segment and does not, or not whole. */
  async isDamaged(hash: BlobHash): Promise<boolean> {
    const found = (await this.#index.find([hash])).get(hash)
    return found?.place != null && !(await this.#isRight(hash, found, async () => true))
  }

  /** It lies in a file of its own from now on. */
  async isInFile(hash: BlobHash): Promise<void> {
    await this.#index.placeAnew([{ hash, to: null }])
  }

  #check(hash: BlobHash, size: number, bytes: Buffer | 'cut'): boolean {
    if (bytes !== 'cut' && this.#verified.has(hash, size)) return true
    const isRight = bytes !== 'cut' && nameOf([bytes]) === hash
    if (isRight) this.#verified.markGood(hash, size)
    else this.#verified.markDamaged(hash)
    return isRight
  }

  #append<Result>(
    { pack, blobs }: ReceivedBlobs,
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
          this.#verified.markGood(hash, size)
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

  /** The blob, whole, or null if it is not in a segment; and which size it has to have, if that is known. */
  async get(hash: BlobHash): Promise<{ bytes: Buffer | null; size: number | null }> {
    for (;;) {
      const found = (await this.#index.find([hash])).get(hash)
      if (!found?.place) return { bytes: null, size: found?.size ?? null }
      const { segment, start } = found.place
      const bytes = await this.#segments.read(segment, start, found.size)
      if (bytes !== null && !this.#check(hash, found.size, bytes)) throw damaged()
      if (bytes !== null && bytes !== 'cut') return { bytes, size: found.size }
      await this.#mustHaveMoved([hash], segment)
    }
  }

  /** What the index says of them, and whether their segment is long enough. */
  async look(hashes: readonly BlobHash[]): Promise<Map<BlobHash, Found & { isCut: boolean }>> {
    const lengths = new Map<number, number>()
    const lengthOf = (segment: number) => {
      const length = lengths.get(segment) ?? this.#segments.length(segment)
      lengths.set(segment, length)
      return length
    }
    const looked = new Map<BlobHash, Found & { isCut: boolean }>()
    for (const [hash, found] of await this.#index.find(hashes)) {
      const { place, size } = found
      looked.set(hash, { ...found, isCut: place !== null && place.start + size > lengthOf(place.segment) })
    }
    return looked
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
      if (bytes !== null) {
        const some = hashes.slice(at, at + stretch.count)
        if (bytes !== 'cut' && this.#areRight(bytes, some, found)) yield bytes
        else for (const one of some) yield* this.#record(one)
        at += stretch.count
        continue
      }
      await this.#mustHaveMoved(hashes.slice(at, at + stretch.count), stretch.segment)
      found = await this.#index.find(wanted)
    }
  }

  #areRight(
    bytes: Buffer,
    hashes: readonly BlobHash[],
    found: ReadonlyMap<BlobHash, { size: number }>,
  ): boolean {
    let [start, areRight] = [0, true]
    for (const hash of hashes) {
      const { size } = found.get(hash)!
      start += blobHeadBytes
      // All of them: each that is wrong is to be known as that.
      if (!this.#check(hash, size, bytes.subarray(start, start + size))) areRight = false
      start += size
    }
    return areRight
  }

  /** One that is damaged is said to be missing: whoever has it may bring it again. */
  async *#record(hash: BlobHash): AsyncGenerator<Uint8Array> {
    const { bytes } = await this.get(hash).catch(() => ({ bytes: null }))
    if (!bytes) return yield missingRecord(hash)
    yield blobHead(hash, bytes.length)
    yield bytes
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
      await this.#segments.remove(segment)
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
        if (bytes !== null && bytes !== 'cut' && nameOf([bytes]) === hash) blobs.push({ hash, bytes })
      }
      if (blobs.length === 0) continue
      await this.#append(receivedBlobs(blobs), null, (moved) =>
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
