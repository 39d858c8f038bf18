import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { type Content, type Differing, type FileDiff, fileDiff } from './file-diff.ts'

/** Larger files are not shown line by line. */
const mostBytes = 2 * 1024 * 1024

/** Fetches the contents of entries of a run, as far as they are small and still stored, in few requests. */
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

/** The differences between entries of a run. */
export async function fileDiffs(
  run: { hub: Hub; at: RunAddress; signal: AbortSignal },
  changes: readonly Differing[],
  sizeOf: (hash: BlobHash) => number | undefined,
): Promise<FileDiff[]> {
  const entries = changes.flatMap(({ before, after }) => [before, after])
  const content = await contentsOf(run, entries, sizeOf)
  return changes.map((one) => fileDiff(one, content(one.before), content(one.after)))
}

/** The content of a file of this folder; empty if it does not exist. */
export function contentHere(folder: string, path: string, entry: FileEntry | null): Content {
  if (!entry) return new Uint8Array()
  const place = join(folder, path)
  try {
    if (entry.mode === '120000') return readlinkSync(place, 'buffer')
    return lstatSync(place).size <= mostBytes ? readFileSync(place) : 'unread'
  } catch {
    // It was deleted, or made unreadable, since it was listed.
    return 'unread'
  }
}
