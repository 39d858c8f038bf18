import { z } from 'zod'

const Patterns = z.array(z.string().min(1).max(500)).max(200)

/** Caches and logs of programs. */
const cachesAndLogs = [
  ...['.cache', 'cache', 'caches', 'node_modules', '.npm', '.cargo', '.rustup', 'tmp', 'log', 'logs'].map(
    (name) => `**/${name}/**`,
  ),
  'go/pkg/**',
  '**/*.log',
  '**/*.tmp',
]

/**
 * Which files of an agent's own folder are stored with its run (W38). In a pattern `*` is anything within a name and `**`
 * any folders. Credentials are never stored, even if these patterns match them.
 */
export const MemoryTerms = z.strictObject({
  files: Patterns.default(['**']),
  never: Patterns.default(cachesAndLogs),
  /** The agent can go on where the workspace has another path than before. */
  anywhere: z.boolean().default(false),
  /** The agent may end a turn before it has written anything of that turn to its files. */
  writesLate: z.boolean().default(false),
})
export type MemoryTerms = z.infer<typeof MemoryTerms>
