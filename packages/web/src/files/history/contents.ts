import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { FilesSource } from './files-source.ts'

/** The bytes of a file; or why there are none to be shown: too many, or the hub does not have them any more. */
export type Content = { is: 'bytes'; bytes: Uint8Array } | { is: 'too-large'; size: number } | { is: 'gone' }

/** What is larger is not shown, but can be saved. */
export const mostShownBytes = 4 * 1024 * 1024
const mostKept = 32 * 1024 * 1024

/** Contents of a run by their hash, fetched when asked for; the last ones that were looked at are kept. */
export class Contents {
  readonly #source: FilesSource
  readonly #sizeOf: (hash: string) => number | null
  readonly #kept = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(source: FilesSource, sizeOf: (hash: string) => number | null) {
    this.#source = source
    this.#sizeOf = sizeOf
  }

  /** The contents of entries to look at, in their order. Throws if the hub cannot be asked. */
  async shown(entries: readonly FileEntry[], signal: AbortSignal): Promise<Content[]> {
    const isTooLarge = ({ hash }: FileEntry) => (this.#sizeOf(hash) ?? 0) > mostShownBytes
    const wanted = entries.filter((entry) => !isTooLarge(entry) && !this.#kept.has(entry.hash))
    const found = new Map<string, Uint8Array>()
    for (const { hash } of entries) {
      const bytes = this.#kept.get(hash)
      if (bytes) found.set(hash, bytes)
    }
    for await (const { hash, bytes } of this.fetch(wanted, signal)) if (bytes) found.set(hash, bytes)
    for (const [hash, bytes] of found) this.#keep(hash, bytes)
    return entries.map(({ hash }) => {
      const bytes = found.get(hash)
      const size = bytes?.length ?? this.#sizeOf(hash) ?? 0
      if (size > mostShownBytes) return { is: 'too-large', size }
      return bytes ? { is: 'bytes', bytes } : { is: 'gone' }
    })
  }

  /** The contents of entries however large, each once, one after the other; nothing of it is kept. */
  fetch(entries: readonly FileEntry[], signal: AbortSignal) {
    const { hub, at } = this.#source
    const hashes = new Set(entries.map(({ hash }) => hash as BlobHash))
    // A page from http:// in the local network has nothing to hash with, and gets page and contents from the same hub.
    const canHash = globalThis.crypto?.subtle !== undefined
    return fetchBlobs(hub, at, hashes, { signal, ...(!canHash && { unverified: true as const }) })
  }

  #keep(hash: string, bytes: Uint8Array): void {
    if (this.#kept.delete(hash)) this.#bytes -= bytes.length
    this.#kept.set(hash, bytes)
    this.#bytes += bytes.length
    for (const [oldest, old] of this.#kept) {
      if (this.#bytes <= mostKept || oldest === hash) return
      this.#kept.delete(oldest)
      this.#bytes -= old.length
    }
  }
}
