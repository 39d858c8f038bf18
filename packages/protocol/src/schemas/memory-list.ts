import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { WorkspacePath } from '../wire/workspace-path.ts'

/**
 * A file of an agent's memory, in the agent's own folder: its content is these blobs, one after the other. A file that
 * only grew, or changed in one place, shares most of them with its last version.
 */
export const MemoryFile = z.object({
  /** As safe as a path of a workspace has to be (S10). */
  path: WorkspacePath,
  /** Its permissions. */
  mode: z.string().regex(/^[0-7]{3}$/, 'expected three octal digits'),
  size: z.number().int().nonnegative(),
  parts: z.array(BlobHash).max(1000),
})
export type MemoryFile = z.infer<typeof MemoryFile>

/** The content of the blob that an `agent_memory` names as its `files` (W38). */
export const MemoryList = z.object({ files: z.array(MemoryFile).max(1000) })
export type MemoryList = z.infer<typeof MemoryList>
