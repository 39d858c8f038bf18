import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { WorkspacePath } from '../wire/workspace-path.ts'

/** What a cache is for: the command, what it depends on, and where it ran, as one hash. */
export const SetupKey = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits')
export type SetupKey = z.infer<typeof SetupKey>

/**
 * What a setup command has made: these paths, packed into a blob. `tree` is set if it also depends on all other files,
 * and is a hash of those.
 */
export const SetupCache = z.object({
  hash: BlobHash,
  paths: z.array(WorkspacePath).min(1).max(1000),
  tree: z.string().max(100).nullable(),
})
export type SetupCache = z.infer<typeof SetupCache>
