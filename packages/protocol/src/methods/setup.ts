import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { WorkspacePath } from '../wire/workspace-path.ts'

/** How much a user may bring along for the agent of a run (W45). */
export const userSetupLimits = {
  files: 500,
  fileBytes: 1024 ** 2,
  bytes: 10 * 1024 ** 2,
  servers: 50,
} as const

/** A file of a user's home folder, under its path there. */
export const BroughtFile = z.looseObject({
  /** As safe as a path of a workspace has to be (S10). */
  path: WorkspacePath,
  hash: BlobHash,
  mode: z.enum(['644', '755']),
  size: z.number().int().nonnegative().max(userSetupLimits.fileBytes),
})
export type BroughtFile = z.infer<typeof BroughtFile>

/**
 * Files and MCP servers of a user for the agent of this run; replaces everything brought before. In the texts of a server
 * `{NAME}` stands for a secret of the run: no value is ever in the log.
 */
export const UserSetup = z.looseObject({
  items: z
    .array(BroughtFile)
    .max(userSetupLimits.files)
    .refine(
      (items) => items.reduce((sum, { size }) => sum + size, 0) <= userSetupLimits.bytes,
      `expected at most ${userSetupLimits.bytes} bytes together`,
    ),
  mcpServers: z
    .array(z.looseObject({ name: z.string().min(1).max(100) }))
    .max(userSetupLimits.servers)
    .optional(),
})
export type UserSetup = z.infer<typeof UserSetup>
