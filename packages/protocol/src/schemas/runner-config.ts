import { z } from 'zod'
import { ProjectId, RunId, TaskId } from '../wire/ids.ts'
import { MemoryTerms } from './memory-terms.ts'
import { SandboxTerms } from './sandbox-terms.ts'

/**
 * The configuration that the hub writes to the standard input of the runner in a sandbox. It holds a token and secrets, which
 * must not be in arguments or files. All paths are those inside the sandbox.
 */
export const RunnerConfig = z.object({
  at: z.object({ project: ProjectId, task: TaskId, run: RunId }),
  hub: z.object({
    url: z.string(),
    /** The socket on which the hub answers to this sandbox alone; null where the address can be reached. */
    socket: z.string().nullable(),
  }),
  token: z.string(),
  generation: z.number().int().positive(),
  /** The socket of the proxy through which the network is reached; null if the sandbox reaches it directly. */
  proxy: z.string().nullable(),
  workspace: z.string(),
  state: z.string(),
  agent: z.object({
    id: z.string(),
    command: z.string(),
    args: z.array(z.string()),
    /** The whole environment of the agent, secrets included. */
    env: z.record(z.string(), z.string()),
    mcpServers: z.array(z.unknown()),
    signIn: z.string().optional(),
    /** What travels of the folder `agent` in `state`, in which it keeps all that it keeps (W38). */
    memory: MemoryTerms.optional(),
    /** What the runner makes before the agent starts: folders, files with their text, links with their targets. */
    places: z
      .object({
        folders: z.array(z.string()),
        files: z.record(z.string(), z.string()),
        links: z.record(z.string(), z.string()),
      })
      .optional(),
    /** What of the hub's machine the sandbox can read, besides the system and our own program. */
    readable: z.array(z.string()).optional(),
    /** What it does in a sandbox without asking the user, in words, and the mode in which it does not. */
    unasked: z.string().optional(),
    denyMode: z.string().optional(),
    /** Whether it hides the context beside a message from its model, so that the runner must say it in words. */
    hidesContext: z.boolean().optional(),
  }),
  /** The variables of `agent.env` whose values must never appear in output. */
  secrets: z.array(z.string()),
  terms: SandboxTerms,
})
export type RunnerConfig = z.infer<typeof RunnerConfig>
