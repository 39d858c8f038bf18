import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { WorkspacePath } from '../wire/workspace-path.ts'

const GitSha = z.string().regex(/^[0-9a-f]{4,64}$/, 'expected the hex name of a commit')

/**
 * `history`: a base whose files have not all arrived yet. `base`: the commit that the run began from. `checkpoint`: the whole
 * workspace as the log has it at `upTo`. `commit`: one that the agent made, for information only (S15). `bundle` is the blob
 * that holds the commit, `index` what was staged (W40).
 */
export const GitCommit = z.looseObject({
  sha: GitSha,
  branch: z.string().max(1000).nullable().optional(),
  message: z.string().optional(),
  kind: z.enum(['history', 'base', 'checkpoint', 'commit']).optional(),
  upTo: z.number().int().nonnegative().optional(),
  bundle: BlobHash.optional(),
  /** The index of the bundle's pack, as git writes it, so that readers need not compute it. Only of bundles that stand alone. */
  packIndex: BlobHash.optional(),
  /** A commit in the bundle whose tree is what is staged; left out or null where nothing is. */
  index: z.string().nullable().optional(),
  /** The commit of HEAD; null before the first one. */
  head: GitSha.nullable().optional(),
  /** Commits whose parents are not in the bundle, as `.git/shallow` lists them. */
  shallow: z.array(GitSha).max(10_000).optional(),
  /** The upstream of the branch, as a ref of the bundle: `refs/remotes/origin/main`. */
  upstream: z.string().max(1000).nullable().optional(),
  /** Without credentials. */
  remotes: z
    .array(z.looseObject({ name: z.string().max(500), url: z.string().max(2000) }))
    .max(50)
    .optional(),
  /** The author of commits, if the device knows. */
  user: z.looseObject({ name: z.string().max(500), email: z.string().max(500) }).optional(),
  /** The number of the checkpoint in its run, from 1 up (W43). */
  number: z.number().int().positive().optional(),
  /** The base or checkpoint whose bundle (with the ones that it needs itself) this bundle needs; null for none. */
  after: GitSha.nullable().optional(),
  /** A commit whose tree holds the files of the workspace's `.git` besides objects; null where there is none. */
  state: GitSha.nullable().optional(),
  /** Files whose content could not be found when the checkpoint was made. */
  missing: z.array(WorkspacePath).max(1000).optional(),
})
export type GitCommit = z.infer<typeof GitCommit>

/** With `opened: false`, `prUrl` is the page on which a user can open a pull request of the pushed branch; else it is the pull request. */
export const PrCreated = z.looseObject({
  prUrl: z.url(),
  branch: z.string().max(1000).optional(),
  opened: z.boolean().optional(),
})
export type PrCreated = z.infer<typeof PrCreated>
