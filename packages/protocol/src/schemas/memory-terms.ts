import { z } from 'zod'

const Patterns = z.array(z.string().min(1).max(500)).max(200)

/** What a program keeps for its own speed or for whoever looks for a fault. */
const cachesAndLogs = [
  ...['.cache', 'cache', 'caches', 'node_modules', '.npm', '.cargo', '.rustup', 'tmp', 'log', 'logs'].map(
    (name) => `**/${name}/**`,
  ),
  'go/pkg/**',
  '**/*.log',
  '**/*.tmp',
]

/**
 * What of the folder that an agent has to itself travels with its run (W38). In a pattern `*` is anything within a name
 * and `**` any folders. Credentials never travel, whatever it says here.
 */
export const MemoryTerms = z.strictObject({
  files: Patterns.default(['**']),
  never: Patterns.default(cachesAndLogs),
  /** It can go on where the workspace has another path than it had. */
  anywhere: z.boolean().default(false),
  /** It may say that a turn is over before it has written anything of that turn down. */
  writesLate: z.boolean().default(false),
})
export type MemoryTerms = z.infer<typeof MemoryTerms>
