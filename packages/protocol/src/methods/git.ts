import { z } from 'zod'
import { BlobHash } from '../blob-hash.ts'

/**
 * `base` is what the run began from, `checkpoint` the whole workspace as the log has it at `upTo`; a `commit` of the
 * agent's own only informs (S15). `bundle` is the blob that holds the commit, `index` what was staged.
 */
export const GitCommit = z.looseObject({
  sha: z.string().regex(/^[0-9a-f]{4,64}$/, 'expected the hex name of a commit'),
  branch: z.string().max(1000).nullable().optional(),
  message: z.string().optional(),
  kind: z.enum(['base', 'checkpoint', 'commit']).optional(),
  upTo: z.number().int().nonnegative().optional(),
  bundle: BlobHash.optional(),
  index: z.string().nullable().optional(),
})
export type GitCommit = z.infer<typeof GitCommit>

export const PrCreated = z.looseObject({ prUrl: z.url() })
export type PrCreated = z.infer<typeof PrCreated>
