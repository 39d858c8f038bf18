import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { Content } from './file-diff.ts'

/** What is larger is not shown line by line. */
const mostBytes = 2 * 1024 * 1024

/** The contents of entries of a run, as far as they are small and stored: in few requests, whatever the order. */
export async function contentsOf(
  { hub, at, signal }: { hub: Hub; at: RunAddress; signal: AbortSignal },
  entries: readonly (FileEntry | null)[],
  sizeOf: (hash: BlobHash) => number | undefined,
): Promise<(entry: FileEntry | null) => Content> {
  const wanted = new Set(
    entries.flatMap((entry) => (entry && (sizeOf(entry.hash) ?? 0) <= mostBytes ? [entry.hash] : [])),
  )
  const found = new Map<string, Uint8Array>()
  const newHasher = () => createHash('sha256')
  for await (const { hash, bytes } of fetchBlobs(hub, at, wanted, { signal, newHasher }))
    if (bytes && bytes.length <= mostBytes) found.set(hash, bytes)
  return (entry) => (entry ? (found.get(entry.hash) ?? 'unread') : new Uint8Array())
}

/** The content of a file of this folder; none if it is not there. */
export function contentHere(folder: string, path: string, entry: FileEntry | null): Content {
  if (!entry) return new Uint8Array()
  const place = join(folder, path)
  try {
    if (entry.mode === '120000') return readlinkSync(place, 'buffer')
    return lstatSync(place).size <= mostBytes ? readFileSync(place) : 'unread'
  } catch {
    // Gone, or closed to us, since it was listed.
    return 'unread'
  }
}
