import { z } from 'zod'
import { MemoryTerms } from './schemas/memory-terms.ts'
import { SandboxTerms } from './schemas/sandbox-terms.ts'
import { ProjectId, RunId, TaskId } from './wire/ids.ts'

/**
 * What a hub tells the runner in a sandbox that it starts, on the runner's standard input: it holds a token and
 * secrets, which are in no argument and no file. All paths are those inside.
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
  /** The socket of the proxy that leads to what may be reached; null where nothing is in the way. */
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
    /** What it finds when it starts: folders, files with their text, links with their targets. */
    places: z
      .object({
        folders: z.array(z.string()),
        files: z.record(z.string(), z.string()),
        links: z.record(z.string(), z.string()),
      })
      .optional(),
    /** What of the hub's machine can be read inside, besides the system and our own program. */
    readable: z.array(z.string()).optional(),
    /** What it does in a sandbox without asking anybody, in words, and the mode in which it does not. */
    unasked: z.string().optional(),
    denyMode: z.string().optional(),
    /** It keeps from its model what it is given to look at beside a message: it is told that in words. */
    hidesContext: z.boolean().optional(),
  }),
  /** Which variables of `agent.env` are never to be seen in what is said. */
  secrets: z.array(z.string()),
  terms: SandboxTerms,
})
export type RunnerConfig = z.infer<typeof RunnerConfig>
