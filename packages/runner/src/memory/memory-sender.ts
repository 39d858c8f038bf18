import { type BlobSource, uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import type { MemoryList } from '@farhand/protocol/schemas/memory-list'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { blobHashOf } from './memory-snapshots.ts'

/** A memory in the log, once all its blobs are stored. */
export type SaidMemory = { sessionId: string; upTo: number; files: BlobHash; blobs: BlobHash[] }

export type MemorySenderParts = {
  hub: Hub
  at: RunAddress
  say: (memory: SaidMemory) => void
  /** The memory was not stored: the next snapshot has to bring all contents. */
  failed: () => void
  signal: AbortSignal
}

/** Stores memories and writes the newest one to the log; a memory that is replaced while it waits is never written. */
export class MemorySender {
  readonly #parts: MemorySenderParts
  /** Contents that are not known to be stored. */
  readonly #contents = new Map<BlobHash, Uint8Array>()
  #next: SaidMemory | null = null
  #last = ''
  #sending: Promise<void> | null = null

  constructor(parts: MemorySenderParts) {
    this.#parts = parts
  }

  /** Adds a memory; `contents` are the parts that may be new. A memory equal to the last one is ignored. */
  add(
    list: MemoryList,
    contents: ReadonlyMap<BlobHash, Uint8Array>,
    about: { sessionId: string; upTo: number },
  ): void {
    for (const [hash, part] of contents) this.#contents.set(hash, part)
    const bytes = new TextEncoder().encode(JSON.stringify(list))
    const next = {
      ...about,
      files: blobHashOf(bytes),
      blobs: [...new Set(list.files.flatMap(({ parts }) => parts))],
    }
    const told = JSON.stringify(next)
    if (told === this.#last) return
    this.#contents.set(next.files, bytes)
    this.#last = told
    this.#next = next
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null
    })
  }

  /** Resolves when no memory waits to be stored. */
  async idle(): Promise<void> {
    await this.#sending
  }

  async #send(): Promise<void> {
    const { say, failed, signal } = this.#parts
    for (let next = this.#next; next && !signal.aborted; next = this.#next) {
      this.#next = null
      if (await this.#isStored(next)) {
        if (!this.#next) this.#contents.clear()
        say(next)
      } else {
        // Until then, an older memory is the newest one in the log.
        this.#last = ''
        failed()
      }
    }
  }

  async #isStored({ files, blobs }: SaidMemory): Promise<boolean> {
    const { hub, at, signal } = this.#parts
    try {
      const { refused } = await uploadBlobs(
        hub,
        at,
        [files, ...blobs].map((hash) => this.#source(hash)),
        { signal },
      )
      return refused.length === 0
    } catch {
      // If the hub is in trouble, the event sender reports it.
      return false
    }
  }

  #source(hash: BlobHash): BlobSource {
    const bytes = this.#contents.get(hash)
    const open = () => {
      if (!bytes) throw new Error('It was stored once, and the hub has lost it.')
      return bytes
    }
    return { hash, size: bytes?.length ?? 0, open }
  }
}
