import { type BlobSource, uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import type { MemoryList } from '@farhand/protocol/schemas/memory-list'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { blobHashOf } from './memory-snapshots.ts'

/** What is said of a memory, once all of it is stored. */
export type SaidMemory = { sessionId: string; upTo: number; files: BlobHash; blobs: BlobHash[] }

export type MemorySenderParts = {
  hub: Hub
  at: RunAddress
  say: (memory: SaidMemory) => void
  /** It was not stored: what is taken next has to bring all of it. */
  failed: () => void
  signal: AbortSignal
}

/** Stores memories and says them, the newest there is: those that waited when another one came are not said at all. */
export class MemorySender {
  readonly #parts: MemorySenderParts
  /** Not known to be stored. */
  readonly #contents = new Map<BlobHash, Uint8Array>()
  #next: SaidMemory | null = null
  #last = ''
  #sending: Promise<void> | null = null

  constructor(parts: MemorySenderParts) {
    this.#parts = parts
  }

  /** Takes one on; `contents` is what of it may be new. One that is as the one before it is not said again. */
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

  /** Resolves when nothing waits. */
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
        // Until then an older one is what there is.
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
      // A hub that does not take it now says so to whoever has more to say.
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
