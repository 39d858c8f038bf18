import { MemoryTerms } from '@farhand/protocol/schemas/memory-terms'
import { AllowedHost } from '@farhand/protocol/schemas/sandbox-terms'
import { z } from 'zod'
import { McpServerEntry } from './mcp-servers.ts'

/** A place below an agent's own folder, and nowhere else. */
const StatePath = z
  .string()
  .regex(/^[^/\\\0]+(\/[^/\\\0]+)*$/, 'expected a relative path with slashes')
  .refine((said) => !said.split('/').some((part) => part === '..' || part === '.'), 'expected no dots')

/** An agent that can be hosted: how it starts, how one sees that it is there, what it wants, by name only. */
export const AgentEntry = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/, 'expected small letters, digits and dashes'),
    name: z.string().min(1).max(100),
    /** A program on the PATH, or the place of one; `farhand` is this very command, wherever it lies. */
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    /**
     * Settings it is given; of those that are passed on too, what the user has set is what counts. In them `{state}` is
     * a folder that it has to itself in each run.
     */
    env: z.record(z.string(), z.string()).default({}),
    /**
     * Settings that it is given in a sandbox, where there is no home of a person: with them it keeps all that it keeps
     * below `{state}`.
     */
    sandboxEnv: z.record(z.string(), z.string()).default({ HOME: '{state}' }),
    /** What of that travels with the run, so that it remembers in the next sandbox. */
    memory: MemoryTerms.prefault({}),
    /** Names of variables that are passed on if they are set. */
    passes: z.array(z.string()).default([]),
    /** Groups of variables: one of each group has to be set, unless the agent is signed in by itself. */
    wants: z.array(z.array(z.string()).min(1)).default([]),
    /** Where its model is: a sandbox with a list of hosts reaches these, too. */
    hosts: z.array(AllowedHost).default([]),
    /** What to run in order to have it. In it `{system}` is this machine's, as npm packages are named: `linux-x64`. */
    install: z.string().optional(),
    /** How to sign in without a variable. */
    signIn: z.string().optional(),
    /** What else its program may be called, for those who installed it another way. `{system}` is as in `install`. */
    alsoCalled: z.array(z.string().min(1)).default([]),
    /** Other programs that it starts by their names: in a sandbox it finds them, too. */
    programs: z.array(z.string().regex(/^[\w.-]+$/, 'expected the name of a program')).default([]),
    /** Folders that are there below `{state}` when it starts. */
    folders: z.array(StatePath).default([]),
    /** Files that are put there each time before it starts. One that begins with `#!` can be run. */
    files: z.record(StatePath, z.string()).default({}),
    /**
     * Further files and folders of the hub's machine that it may read in a sandbox, at their own places. What begins
     * with `~/` it finds in its home there, too.
     */
    readable: z
      .array(z.string().regex(/^(~\/|\/)./, 'expected a whole path, or one that begins with ~/'))
      .default([]),
    /**
     * What it does without asking anybody, in words, on a person's machine and in a sandbox. Where nothing is said it is
     * known to ask, or is somebody's own agent, of which nobody knows.
     */
    unasked: z.strictObject({ here: z.string(), sandbox: z.string() }).partial().default({}),
    /** A mode in which it changes nothing without asking: it is put there while the policy of a run denies. */
    denyMode: z.string().min(1).optional(),
    /**
     * Whether it keeps from its model what it is given to look at beside a message, whatever it says of itself: it is
     * told that in words.
     */
    hidesContext: z.boolean().default(false),
    /** Servers of tools that it is given in every session. */
    mcpServers: z
      .array(McpServerEntry)
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two have the same name')
      .default([]),
  })
  .refine(({ command, mcpServers }) => command !== 'farhand' || mcpServers.length === 0, {
    path: ['mcpServers'],
    message: 'our own agents use no such servers; others do',
  })
export type AgentEntry = z.infer<typeof AgentEntry>
