import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { FilesSource } from './files-source.ts'

/** The bytes of a file, or why they cannot be shown: too large, or the hub no longer has them. */
export type Content = { is: 'bytes'; bytes: Uint8Array } | { is: 'too-large'; size: number } | { is: 'gone' }

/** Larger files are not shown, but can be saved. */
export const mostShownBytes = 4 * 1024 * 1024
const mostKept = 32 * 1024 * 1024

/** Contents of files by hash, fetched on request; the last ones are kept in memory. */
export class Contents {
  readonly #source: FilesSource
  readonly #sizeOf: (hash: string) => number | null
  readonly #kept = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(source: FilesSource, sizeOf: (hash: string) => number | null) {
    this.#source = source
    this.#sizeOf = sizeOf
  }

  /** The contents of entries, in order. Throws if the hub cannot be reached. */
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

  /** The contents of entries of any size, each once; nothing is kept in memory. */
  fetch(entries: readonly FileEntry[], signal: AbortSignal) {
    const { hub, at } = this.#source
    const hashes = new Set(entries.map(({ hash }) => hash as BlobHash))
    // An http:// page in the local network has no `crypto.subtle`; it got its own code from the same hub anyway.
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
