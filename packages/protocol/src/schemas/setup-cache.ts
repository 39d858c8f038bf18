import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { WorkspacePath } from '../wire/workspace-path.ts'

/** The key of a cache: a hash of the setup command, of the files it depends on, and of where it ran. */
export const SetupKey = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits')
export type SetupKey = z.infer<typeof SetupKey>

/**
 * The result of a setup command: these paths, packed into a blob. `tree` is set if it also depends on all other files:
 * a hash of them.
 */
export const SetupCache = z.object({
  hash: BlobHash,
  paths: z.array(WorkspacePath).min(1).max(1000),
  tree: z.string().max(100).nullable(),
})
export type SetupCache = z.infer<typeof SetupCache>
