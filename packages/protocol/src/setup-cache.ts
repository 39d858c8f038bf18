import { z } from 'zod'
import { BlobHash } from './blob-hash.ts'

/** What a cache is for: the command, what it depends on, and where it ran, as one hash. */
export const SetupKey = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits')
export type SetupKey = z.infer<typeof SetupKey>

/** What a setup command has made, as a packed blob. `tree` is set if it also depends on all other files as they were. */
export const SetupCache = z.object({ hash: BlobHash, tree: z.string().max(100).nullable() })
export type SetupCache = z.infer<typeof SetupCache>
