import { createHash } from 'node:crypto'
import { createReadStream, rename, type Stats, stat } from 'node:fs'
import { mkdir, open, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { KeyedLock } from '@farhand/kit/keyed-lock'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import { blobHead, missingRecord, readHash } from '@farhand/protocol/wire/pack'
import { copiedSize, patchedSize } from '@farhand/protocol/wire/patch'
import { Assembler } from './assembler.ts'
import type { BlobStore, SentPatch } from './blob-store.ts'
import { checkedOnTheWay, isRight } from './check-file.ts'
import { DiskSync } from './disk-sync.ts'
import { inLargePieces } from './in-large-pieces.ts'
import { IncomingFile } from './incoming-file.ts'
import type { PackIndex } from './pack-index.ts'
import { PackedBlobs, type Remember } from './packed-blobs.ts'
import type { ReceivedBlobs } from './received-blobs.ts'
import { restoreFromTrash } from './restore-from-trash.ts'
import { Segments } from './segments.ts'
import { Trash } from './trash.ts'
import { damaged, VerifiedBlobs } from './verified-blobs.ts'

/** Blobs up to this size are held in memory and read or written in one piece. */
const pieceBytes = 256 * 1024

/** Blobs up to this size whose last check was long ago are hashed before the first byte is sent. */
const checkedFirst = 8 * 1024 * 1024

const renameFile = promisify(rename)

/**
 * Opens the blobs in a folder that no other process uses. Removes interrupted uploads, and gives the index the packed blobs that it had
 * not recorded yet.
 */
export async function openDiskBlobStore(
  dir: string,
  index: PackIndex,
  { sync = new DiskSync(), segmentBytes = 64 * 1024 * 1024 } = {},
): Promise<BlobStore> {
  const incoming = join(dir, 'incoming')
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  // Not the folder itself: on a full disk it could not be made again.
  for (const name of await readdir(incoming)) await rm(join(incoming, name), { recursive: true, force: true })
  await mkdir(join(dir, 'packs'), { recursive: true, mode: 0o700 })
  await Promise.all([sync.folder(dirname(dir)), sync.folder(dir)])
  const trash = new Trash(join(dir, 'trash'))
  await trash.open()
  const segments = new Segments(join(dir, 'packs'), sync, await index.lastSegment(), segmentBytes, trash)
  const verified = new VerifiedBlobs()
  const packed = new PackedBlobs(segments, index, verified)
  await packed.recover()
  await restoreFromTrash(dir, index, trash)
  return new DiskBlobStore(dir, sync, packed, trash, verified)
}

class DiskBlobStore implements BlobStore {
  readonly #dir: string
  readonly #sync: DiskSync
  readonly #packed: PackedBlobs
  readonly #trash: Trash
  readonly #verified: VerifiedBlobs
  readonly #lock = new KeyedLock()
  readonly #landing = new Map<BlobHash, Promise<void>>()
  readonly #ready = new Map<string, Promise<void>>()
  readonly #assembler = new Assembler()
  #incomingCount = 0

  constructor(dir: string, sync: DiskSync, packed: PackedBlobs, trash: Trash, verified: VerifiedBlobs) {
    this.#dir = dir
    this.#sync = sync
    this.#packed = packed
    this.#trash = trash
    this.#verified = verified
  }

  async put(
    hash: BlobHash,
    bytes: AsyncIterable<Uint8Array>,
    remember?: (size: number) => Promise<void>,
  ): Promise<{ size: number }> {
    return this.#lock.shared(hash, async () => {
      const isPackedInVain = await this.#packed.isDamaged(hash)
      const size = await this.#receive(hash, bytes).catch(asFault)
      if (isPackedInVain) await this.#packed.isInFile(hash)
      await remember?.(size)
      return { size }
    })
  }

  async putPatched(
    hash: BlobHash,
    patch: SentPatch,
    remember?: (size: number) => Promise<void>,
  ): Promise<{ size: number }> {
    return this.#lock.sharedAll([...new Set([hash, patch.base])], async () => {
      await this.#assemble(hash, patch).catch(asFault)
      const size = patchedSize(patch.parts)
      await remember?.(size)
      return { size }
    })
  }

  async patchOf(hash: BlobHash, base: BlobHash): Promise<Uint8Array | null> {
    const patch = await readFile(this.#place(hash).patch).catch(missing)
    return patch && patch.length >= 32 && readHash(patch) === base ? patch : null
  }

  async putAll(all: ReceivedBlobs, owner: string, remember: Remember): Promise<void> {
    const hashes = all.blobs.map((blob) => blob.hash)
    await this.#lock.sharedAll(hashes, () =>
      this.#packed.put(all, owner, remember, (hash) => this.#isPresent(hash)).catch(asFault),
    )
  }

  async size(hash: BlobHash): Promise<number | null> {
    return (await this.#packed.size(hash)) ?? (await statOf(this.#place(hash).file))?.size ?? null
  }

  async damaged(hashes: readonly BlobHash[]): Promise<BlobHash[]> {
    const found: BlobHash[] = []
    for (const [hash, { size, place, isCut }] of await this.#packed.look(hashes)) {
      const isWrong = isCut || (!place && (await statOf(this.#place(hash).file))?.size !== size)
      if (isWrong || this.#verified.isDamaged(hash)) found.push(hash)
    }
    return found
  }

  async storedAt(hash: BlobHash): Promise<Date | null> {
    return (await statOf(this.#place(hash).file))?.mtime ?? null
  }

  async list(digits: string): Promise<BlobHash[]> {
    const names = (await readdir(join(this.#dir, digits)).catch(missing)) ?? []
    return names.flatMap((name) => BlobHash.safeParse(name).data ?? [])
  }

  async get(hash: BlobHash, start = 0): Promise<{ size: number; bytes: Readable }> {
    const { bytes: packed, size: expected } = await this.#packed.get(hash)
    if (packed) {
      checkStart(start, packed.length)
      return {
        size: packed.length,
        bytes: Readable.from(start < packed.length ? [packed.subarray(start)] : []),
      }
    }
    const file = await open(this.#place(hash).file).catch(missing)
    if (!file) throw new Fault('blob.unknown', 'there is no such blob')
    let keepOpen = false
    try {
      const { size } = await file.stat()
      if (size !== (expected ?? size)) throw this.#isDamaged(hash)
      checkStart(start, size)
      const isTrusted = this.#verified.has(hash, size)
      keepOpen = !isTrusted && size > checkedFirst
      if (keepOpen)
        return { size, bytes: Readable.from(checkedOnTheWay(file, { hash, size, start }, this.#verified)) }
      if (!isTrusted && !(await isRight(file, hash))) throw this.#isDamaged(hash)
      if (!isTrusted) this.#verified.markGood(hash, size)
      keepOpen = size - start > pieceBytes
      if (keepOpen)
        return { size, bytes: createReadStream('', { fd: file, start, highWaterMark: pieceBytes }) }
      const piece = Buffer.allocUnsafe(size - start)
      const { bytesRead } = await file.read(piece, 0, piece.length, start)
      return { size, bytes: Readable.from(bytesRead > 0 ? [piece.subarray(0, bytesRead)] : []) }
    } finally {
      if (!keepOpen) await file.close()
    }
  }

  #isDamaged(hash: BlobHash): Fault {
    this.#verified.markDamaged(hash)
    return damaged()
  }

  async remove(hash: BlobHash, forget: () => Promise<boolean>): Promise<void> {
    await this.#lock.exclusive(hash, async () => {
      if (!(await forget())) return
      this.#verified.forget(hash)
      // The patch first: without its blob, no later sweep would find it.
      const { file, patch } = this.#place(hash)
      await unlink(patch).catch(missing)
      await this.#trash.take(file, hash)
    })
  }

  records(hashes: readonly BlobHash[], mayRead: ReadonlySet<BlobHash>): AsyncIterable<Uint8Array> {
    return inLargePieces(this.#packed.records(hashes, mayRead, (hash) => this.#fileRecord(hash)))
  }

  tidy(signal?: AbortSignal): Promise<{ removed: number }> {
    return this.#packed.tidy(signal)
  }

  emptyTrash(now: Date): Promise<number> {
    return this.#trash.empty(now)
  }

  async close(): Promise<void> {
    await this.#assembler.close()
    await this.#packed.close()
  }

  async *#fileRecord(hash: BlobHash): AsyncGenerator<Uint8Array> {
    const found = await this.get(hash).catch((error) => {
      if (error instanceof Fault && error.code === 'blob.unknown') return null
      throw error
    })
    if (!found) return yield missingRecord(hash)
    yield blobHead(hash, found.size)
    yield* found.bytes
  }

  async #receive(hash: BlobHash, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    const present = this.#isPresent(hash)
    // Awaited only after the upload; until then a failure must not count as unhandled.
    present.catch(() => {})
    const sha = createHash('sha256')
    let size = 0
    let piece: Uint8Array[] = []
    let pieceSize = 0
    let incoming: IncomingFile | null = null
    try {
      for await (const chunk of bytes) {
        sha.update(chunk)
        size += chunk.length
        piece.push(chunk)
        pieceSize += chunk.length
        if (pieceSize < pieceBytes) continue
        if (!(await present)) {
          incoming ??= await this.#newIncoming()
          await incoming.write(Buffer.concat(piece))
        }
        piece = []
        pieceSize = 0
      }
      if (`sha256_${sha.digest('hex')}` !== hash) {
        throw new Fault('blob.mismatch', 'the bytes do not hash to their name; send them again')
      }
      if (await present) return size
      incoming ??= await this.#newIncoming()
      await incoming.write(piece.length === 1 ? piece[0]! : Buffer.concat(piece))
      await incoming.finish(this.#sync)
      await this.#land(hash, incoming)
      return size
    } catch (error) {
      await incoming?.discard()
      throw error
    }
  }

  async #assemble(hash: BlobHash, { base, parts, bytes }: SentPatch): Promise<void> {
    const from = this.#place(base).file
    const stats = await statOf(from)
    if (stats === null) throw new Fault('blob.unknown', 'there is no such base to patch')
    if (copiedSize(parts) > stats.size) throw malformed('body', 'it takes more from the base than that has')
    const incoming = await this.#newIncoming()
    try {
      if ((await this.#assembler.assemble({ from, into: incoming.path, patch: bytes })) !== hash) {
        throw new Fault('blob.mismatch', 'what the patch makes does not hash to its name; send it whole')
      }
      if (await this.#isPresent(hash)) return await incoming.discard()
      incoming.size = patchedSize(parts)
      await incoming.finish(this.#sync)
      await this.#land(hash, incoming)
    } catch (error) {
      await incoming.discard()
      throw error
    }
    // The patch is optional: a reader that gets a torn one fetches the whole blob instead.
    await writeFile(this.#place(hash).patch, bytes, { mode: 0o600 }).catch(() => {})
  }

  /** Whether the blob exists, undamaged and durable. If not, an existing file may be replaced. */
  async #isPresent(hash: BlobHash): Promise<boolean> {
    const { file, folder } = this.#place(hash)
    if ((await statOf(file)) === null) return false
    // An existing file may not be durable: another `put` may still be syncing its name, or was killed before that.
    await this.#landing.get(hash)
    await this.#makeReady(folder)
    return this.#isWhole(hash)
  }

  async #isWhole(hash: BlobHash): Promise<boolean> {
    const file = await open(this.#place(hash).file).catch(missing)
    if (!file || this.#verified.isDamaged(hash)) {
      await file?.close()
      return false
    }
    try {
      const { size } = await file.stat()
      if (this.#verified.has(hash, size)) return true
      const isWhole = await isRight(file, hash)
      if (isWhole) this.#verified.markGood(hash, size)
      else this.#verified.markDamaged(hash)
      return isWhole
    } finally {
      await file.close()
    }
  }

  /** Once for each folder: makes it, and syncs its name and the names that an earlier process left in it. */
  #makeReady(folder: string): Promise<void> {
    const before = this.#ready.get(folder)
    if (before) return before
    const ready = (async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await Promise.all([this.#sync.folder(this.#dir), this.#sync.folder(folder)])
    })()
    this.#ready.set(folder, ready)
    ready.catch(() => this.#ready.delete(folder))
    return ready
  }

  #newIncoming(): Promise<IncomingFile> {
    return IncomingFile.create(join(this.#dir, 'incoming', `${this.#incomingCount++}`))
  }

  /** Renames a finished file to its blob's name. One upload at a time for each blob; the others then discard theirs. */
  async #land(hash: BlobHash, incoming: IncomingFile): Promise<void> {
    for (;;) {
      const other = this.#landing.get(hash)
      if (!other) break
      const landed = await other.then(
        () => true,
        () => false,
      )
      if (landed) return incoming.discard()
    }
    const landing = this.#name(hash, incoming)
    this.#landing.set(hash, landing)
    try {
      await landing
    } finally {
      this.#landing.delete(hash)
    }
  }

  async #name(hash: BlobHash, incoming: IncomingFile): Promise<void> {
    const { file, folder } = this.#place(hash)
    await this.#makeReady(folder)
    await renameFile(incoming.path, file)
    this.#verified.markGood(hash, incoming.size)
    try {
      await this.#sync.folder(folder)
    } catch (error) {
      // The next `put` must not take the file for durable. Deleting it could lose a blob that an earlier `put` stored.
      this.#ready.delete(folder)
      throw error
    }
  }

  #place(hash: BlobHash): { folder: string; file: string; patch: string } {
    const folder = join(this.#dir, hash.slice(7, 9))
    return { folder, file: join(folder, hash), patch: join(folder, `${hash}.patch`) }
  }
}

// Not the promise version: for a missing file, the usual case, it would create an error with a stack.
function statOf(path: string): Promise<Stats | null> {
  return new Promise((resolve, reject) => {
    stat(path, (error, stats) => {
      if (!error) resolve(stats)
      else if (error.code === 'ENOENT') resolve(null)
      else reject(error)
    })
  })
}

function checkStart(start: number, size: number): void {
  if (start > size) throw malformed('range', `it has ${size} bytes`)
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function asFault(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT') throw error
  throw new Fault('storage.full', 'the hub has no room left for file contents; it was not stored', {
    cause: error,
  })
}
