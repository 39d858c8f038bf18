import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import type { BlobStore } from '../blob-store.ts'
import { type BlobUse, keepMs, type Needs, unreferenced } from './unreferenced.ts'

/** What a sweep needs from the store and the logs. */
export type SweepParts = {
  blobs: BlobStore
  /** The projects that have blobs not used since `before`. */
  projects(before: Date): Promise<ProjectId[]>
  /** Those blobs, in order of their names. */
  unused(
    project: ProjectId,
    before: Date,
    page: { after: BlobHash | null; limit: number },
  ): Promise<BlobUse[]>
  /** What every log of the project needs. If it throws, nothing of the project is removed. */
  needs(project: ProjectId): Promise<Needs[]>
  /** Removes the blob from the project in one step, unless it was used since `before`. */
  forget(project: ProjectId, hash: BlobHash, before: Date): Promise<'forgotten' | 'renewed'>
  isKnownAnywhere(hash: BlobHash): Promise<boolean>
  onError(error: unknown, project: ProjectId): void
}

const batch = 500

/**
 * Removes expired blobs (W25) and returns how many.
 *
 * The logs are read first and may grow meanwhile. That is safe: before an event that names a blob is stored, the hub renews the blob, and
 * a renewed blob is not removed; and bytes are removed only while no `put` stores the same blob.
 */
export async function sweep(
  parts: SweepParts,
  now: Date,
  signal?: AbortSignal,
): Promise<{ removed: number }> {
  const before = new Date(now.getTime() - keepMs)
  let removed = 0
  for (const project of await parts.projects(before)) {
    try {
      removed += await sweepProject(parts, project, now, before, signal)
    } catch (error) {
      // One unreadable log must not keep the other projects from being swept.
      parts.onError(error, project)
    }
    if (signal?.aborted) break
  }
  return { removed }
}

async function sweepProject(
  parts: SweepParts,
  project: ProjectId,
  now: Date,
  before: Date,
  signal: AbortSignal | undefined,
): Promise<number> {
  const needs = await parts.needs(project)
  let removed = 0
  for (let after: BlobHash | null = null; !signal?.aborted; ) {
    const blobs: BlobUse[] = await parts.unused(project, before, { after, limit: batch })
    for (const hash of unreferenced(blobs, needs, now)) {
      if (signal?.aborted) break
      await parts.blobs.remove(hash, async () => {
        if ((await parts.forget(project, hash, before)) === 'renewed') return false
        removed++
        return !(await parts.isKnownAnywhere(hash))
      })
    }
    if (blobs.length < batch) break
    after = blobs.at(-1)!.hash
  }
  return removed
}
