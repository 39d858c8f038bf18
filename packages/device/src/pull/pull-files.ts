import { createHash } from 'node:crypto'
import { downloadBlob } from '@farhand/client/blobs/download-blob'
import { fetchBlobs } from '@farhand/client/blobs/fetch-blobs'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { event } from '@farhand/protocol/events/event-names'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Change, Changed, DiskFolder, Skip } from '@farhand/sync/engine/disk-folder'
import type { Brought, PullPlan } from './pull-plan.ts'

const mostFiles = 512
const mostBytes = 4 * 1024 * 1024
/** Larger files are staged on disk, never held in memory. */
const largeBytes = 1024 * 1024

/** All files of a folder, as the sync engine sees them, after its first complete scan. */
export async function scanFolder(
  disk: DiskFolder,
  signal: AbortSignal,
): Promise<{ here: Map<WorkspacePath, FileEntry>; skipped: Map<string, Skip> }> {
  const here = new Map<WorkspacePath, FileEntry>()
  const skipped = new Map<string, Skip>()
  await disk.leftBehind()
  for (;;) {
    const report = await disk.next(signal)
    for (const { path, entry } of report.seen) entry ? here.set(path, entry) : here.delete(path)
    for (const skip of report.skipped) skipped.set(skip.path, skip)
    if (report.scanned) return { here, skipped }
  }
}

/** Stores versions that exist only here and records them in the log, so that overwriting them can be undone (S4). */
export async function keepVersions(
  { hub, at, disk, signal }: { hub: Hub; at: RunAddress; disk: DiskFolder; signal: AbortSignal },
  versions: PullPlan['overwritten'],
): Promise<void> {
  for (const { path, entry } of versions) {
    const bytes = await disk.open(path, entry)
    if (!bytes) throw new Error(`${path} is being changed right now`)
    const size = bytes instanceof Uint8Array ? bytes.length : bytes.size
    const { refused } = await uploadBlobs(hub, at, [{ hash: entry.hash, size, open: () => bytes }], {
      signal,
    })
    if (refused[0]) throw refused[0].why
    const params = { path, hash: entry.hash, mode: entry.mode, why: 'replaced' as const }
    await post(hub, at, event('file_kept', params), { signal })
  }
}

export type Outcome = { brought: Brought; result: Changed | { is: 'missing' } }

/** Why a file could not be written, for the user. */
export function whyNotWritten(result: { is: string; why?: string }): string {
  if (result.is === 'missing') return 'its contents are no longer stored'
  if (result.is === 'changed') return 'it was changed here meanwhile'
  return result.why ?? result.is
}

/** Writes files into the folder in portions, each file atomically; yields the result of each. */
export async function* bringFiles(
  { hub, at, disk, signal }: { hub: Hub; at: RunAddress; disk: DiskFolder; signal: AbortSignal },
  brought: readonly Brought[],
  sizeOf: (path: WorkspacePath) => number,
): AsyncGenerator<Outcome[]> {
  // Deletions come first, because they make room.
  const orderedOutput = [...brought.filter(({ to }) => !to), ...brought.filter(({ to }) => to)]
  for (const portion of portions(orderedOutput, sizeOf)) {
    const changes: Change[] = []
    const missing: Outcome[] = []
    const contents = await contentsOf(portion, sizeOf, { hub, at, disk, signal })
    for (const one of portion) {
      const size = sizeOf(one.path)
      const content = one.to ? contents.get(one.to.hash) : {}
      if (content) changes.push({ ...one, size, ...content })
      else missing.push({ brought: one, result: { is: 'missing' } })
    }
    const results = await disk.apply(changes)
    yield [...missing, ...results.map((result, n) => ({ brought: changes[n]!, result }))]
  }
}

type Around = { hub: Hub; at: RunAddress; disk: DiskFolder; signal: AbortSignal }

async function contentsOf(
  portion: readonly Brought[],
  sizeOf: (path: WorkspacePath) => number,
  { hub, at, disk, signal }: Around,
): Promise<Map<string, Pick<Change, 'content' | 'staged'>>> {
  const contents = new Map<string, Pick<Change, 'content' | 'staged'>>()
  const [first] = portion
  const newHasher = () => createHash('sha256')
  if (first?.to && portion.length === 1 && sizeOf(first.path) > largeBytes) {
    const staged = await disk.stage(downloadBlob(hub, at, first.to.hash, { signal, newHasher }))
    return contents.set(first.to.hash, { staged })
  }
  const hashes = new Set(portion.flatMap(({ to }) => (to ? [to.hash] : [])))
  for await (const { hash, bytes } of fetchBlobs(hub, at, hashes, { signal, newHasher }))
    if (bytes) contents.set(hash, { content: bytes })
  return contents
}

function* portions(
  brought: readonly Brought[],
  sizeOf: (path: WorkspacePath) => number,
): Generator<Brought[]> {
  let portion: Brought[] = []
  let bytes = 0
  for (const one of brought) {
    const size = one.to ? sizeOf(one.path) : 0
    const isLarge = size > largeBytes
    if (portion.length > 0 && (isLarge || portion.length === mostFiles || bytes + size > mostBytes)) {
      yield portion
      portion = []
      bytes = 0
    }
    portion.push(one)
    bytes += isLarge ? mostBytes : size
  }
  if (portion.length > 0) yield portion
}
