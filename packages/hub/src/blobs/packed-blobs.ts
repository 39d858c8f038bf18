import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { blobHead, blobHeadBytes, missingRecord } from '@farhand/protocol/wire/pack'
import { firstStretch } from './first-stretch.ts'
import type { Found, PackIndex, Place } from './pack-index.ts'
import { nameOf, type ReceivedBlobs, receivedBlobs, verify, type WholeBlob } from './received-blobs.ts'
import { writeNote } from './segment-note.ts'
import type { Segments } from './segments.ts'
import { damaged, type VerifiedBlobs } from './verified-blobs.ts'

/** A blob that is durable. Without a place it is in a separate file. */
export type StoredBlob = {
  hash: BlobHash
  size: number
  place: Place | null
  /** It was just appended, and its segment says which project has it, so its row can be written later. */
  isNoted?: true
}

/** Records that the owner has these blobs. It must take blobs with `isNoted` before its first `await`. */
export type Remember = (stored: readonly StoredBlob[]) => Promise<void>

/** Whether a blob in a separate file is undamaged. */
export type InFile = (hash: BlobHash) => Promise<boolean>

// For so few bytes, looking up whether they exist takes longer than writing them again.
const notLookedUp = 16 * 1024
const movedAtOnce = 200
const stretchBytes = 1024 * 1024

/**
 * Small blobs stored next to each other in segments, each as in a pack: head, then bytes. Only the index knows their places; callers
 * record them there in `remember`. Bytes without a record count as free space.
 */
export class PackedBlobs {
  readonly #segments: Segments
  readonly #index: PackIndex
  /** Calls of `put` that may have a place which is not recorded yet. */
  readonly #storing = new Set<Promise<unknown>>()
  readonly #verified: VerifiedBlobs

  constructor(segments: Segments, index: PackIndex, verified: VerifiedBlobs) {
    this.#segments = segments
    this.#index = index
    this.#verified = verified
  }

  /**
   * Makes the new blobs durable and then has all of them recorded. Throws `blob.mismatch` before that if one does not match its hash. The
   * segment notes the owner of appended blobs. Damaged blobs are appended again, and are read from there from then on.
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

  /** Whether the bytes of a recorded blob are right. */
  async #isRight(hash: BlobHash, { size, place }: Found, inFile: InFile): Promise<boolean> {
    if (this.#verified.isDamaged(hash)) return false
    if (!place) return inFile(hash)
    if (this.#verified.has(hash, size)) return true
    const bytes = await this.#segments.read(place.segment, place.start, size)
    // If the segment is gone, its blobs were moved, or the next read reports the error.
    return bytes === null || this.#check(hash, size, bytes)
  }

  /** Whether the blob is recorded in a segment but is missing or damaged there. */
  async isDamaged(hash: BlobHash): Promise<boolean> {
    const found = (await this.#index.find([hash])).get(hash)
    return found?.place != null && !(await this.#isRight(hash, found, async () => true))
  }

  /** Records that the blob is in a separate file from now on. */
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
    // Stored in the order of the pack: neighbours are written as one stretch.
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

  /** Gives the index the blobs that it had not recorded when an earlier process ended. */
  async recover(): Promise<void> {
    const settled = await this.#index.settledUpTo()
    const { found, upTo } = this.#segments.unsettled(settled ?? this.#segments.end())
    const isSettled = settled?.segment === upTo.segment && settled.start === upTo.start
    if (!isSettled) await this.#index.recover(found, upTo)
  }

  /** The bytes of a blob, or null if it is not in a segment; and its expected size, if known. */
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

  /** The index's entries for these blobs, and whether their segment is too short for them. */
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

  /** The size, or null if the blob is not in a segment. */
  async size(hash: BlobHash): Promise<number | null> {
    const found = (await this.#index.find([hash])).get(hash)
    return found?.place ? found.size : null
  }

  /** The blobs as records of a pack, in the given order, with neighbours in one piece. `inFile` gives those in separate files. */
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
      // No early exit: each damaged blob must be marked.
      if (!this.#check(hash, size, bytes.subarray(start, start + size))) areRight = false
      start += size
    }
    return areRight
  }

  /** Sends a damaged blob as missing, so that a client that has it uploads it again. */
  async *#record(hash: BlobHash): AsyncGenerator<Uint8Array> {
    const { bytes } = await this.get(hash).catch(() => ({ bytes: null }))
    if (!bytes) return yield missingRecord(hash)
    yield blobHead(hash, bytes.length)
    yield bytes
  }

  /** Throws if a segment is missing although the index still has blobs in it. */
  async #mustHaveMoved(hashes: readonly BlobHash[], segment: number): Promise<void> {
    const found = await this.#index.find(hashes, { asWritten: true })
    if (![...found.values()].some(({ place }) => place?.segment === segment)) return
    throw new Error(`segment ${segment} is missing, and blobs are said to be in it`)
  }

  /**
   * Frees the space of blobs that no project has any more: deletes unused segments, and moves the blobs of segments that are more than
   * half empty to the end of the newest one. Returns how many segments were removed.
   */
  async tidy(signal?: AbortSignal): Promise<{ removed: number }> {
    let removed = 0
    for (const segment of this.#segments.finished()) {
      if (signal?.aborted) break
      // A `put` that began before the segment was finished may have bytes in it that are not recorded yet.
      await this.#settled()
      const used = await this.#index.usedBytes(segment)
      if (used * 2 > this.#segments.size(segment)) continue
      await this.#moveOut(segment, signal)
      // A `put` that found a place before the move has recorded it by now, and it shows here.
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
        // Damaged bytes stay where they are, for the operator to examine, and so does their segment.
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
    // If the index cannot be written now, `recover` completes it at the next start.
    await this.#index.settle().catch(() => {})
    await this.#segments.close()
  }
}
