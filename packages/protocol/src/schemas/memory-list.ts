import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { WorkspacePath } from '../wire/workspace-path.ts'

/**
 * A file of an agent's memory, below the folder that the agent has to itself: what it holds are these blobs, one after
 * the other. One that only grew, or changed in one place, has most of them in common with what it was before.
 */
export const MemoryFile = z.object({
  /** As harmless as a path of a workspace has to be (S10). */
  path: WorkspacePath,
  /** Its permissions. */
  mode: z.string().regex(/^[0-7]{3}$/, 'expected three octal digits'),
  size: z.number().int().nonnegative(),
  parts: z.array(BlobHash).max(1000),
})
export type MemoryFile = z.infer<typeof MemoryFile>

/** What the blob says that an `agent_memory` calls its `files` (W38). */
export const MemoryList = z.object({ files: z.array(MemoryFile).max(1000) })
export type MemoryList = z.infer<typeof MemoryList>
