import { MemoryTerms } from '@farhand/protocol/schemas/memory-terms'
import { AllowedHost } from '@farhand/protocol/schemas/sandbox-terms'
import { z } from 'zod'
import { McpServerEntry } from './mcp-servers.ts'

/** A path below the agent's own folder. */
const StatePath = z
  .string()
  .regex(/^[^/\\\0]+(\/[^/\\\0]+)*$/, 'expected a relative path with slashes')
  .refine((said) => !said.split('/').some((part) => part === '..' || part === '.'), 'expected no dots')

/** An agent that can be hosted: how to start it, how to detect it, and which settings it needs, by name only. */
export const AgentEntry = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/, 'expected lowercase letters, digits and dashes'),
    name: z.string().min(1).max(100),
    /** A program on the PATH, or its path; `farhand` is this very command. */
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    /**
     * Environment variables for it; a variable that is also passed on takes the user's value. `{state}` is replaced
     * by a folder that it has to itself in each run.
     */
    env: z.record(z.string(), z.string()).default({}),
    /**
     * Environment variables for it in a sandbox, where there is no home of a user's: they make the agent keep all its
     * files below `{state}`.
     */
    sandboxEnv: z.record(z.string(), z.string()).default({ HOME: '{state}' }),
    /** Which of these files travel with the run, so that the agent remembers in the next sandbox. */
    memory: MemoryTerms.prefault({}),
    /** Names of variables that are passed on if the user has set them. */
    passes: z.array(z.string()).default([]),
    /** Groups of variables: one of each group must be set, unless the user is signed in to the agent. */
    wants: z.array(z.array(z.string()).min(1)).default([]),
    /** The hosts of its model: a sandbox with a list of allowed hosts reaches these, too. */
    hosts: z.array(AllowedHost).default([]),
    /** The command that installs it. `{system}` is this machine's system as npm packages name it: `linux-x64`. */
    install: z.string().optional(),
    /** How the user can sign in without a variable. */
    signIn: z.string().optional(),
    /** Other names of its program, for other ways of installing it. `{system}` as in `install`. */
    alsoCalled: z.array(z.string().min(1)).default([]),
    /** Other programs that it starts by name: it finds these in a sandbox, too. */
    programs: z.array(z.string().regex(/^[\w.-]+$/, 'expected the name of a program')).default([]),
    /** Folders that are created below `{state}` before it starts. */
    folders: z.array(StatePath).default([]),
    /**
     * Files that are written below `{state}` each time before it starts. A file that begins with `#!` is made
     * executable.
     */
    files: z.record(StatePath, z.string()).default({}),
    /**
     * Further files and folders of the hub's machine that it may read in a sandbox, at the same paths. What begins
     * with `~/` also appears in its home there.
     */
    readable: z
      .array(z.string().regex(/^(~\/|\/)./, 'expected a whole path, or one that begins with ~/'))
      .default([]),
    /**
     * What it does without asking first, in words: on a user's machine, and in a sandbox. If left out, the agent is
     * known to ask, or is a user's own agent of which nothing is known.
     */
    unasked: z.strictObject({ here: z.string(), sandbox: z.string() }).partial().default({}),
    /** A mode in which it asks before every change: it is put into that mode while the policy of a run denies. */
    denyMode: z.string().min(1).optional(),
    /**
     * Whether it does not pass resources beside a message on to its model, although it claims to: they are
     * sent as text.
     */
    hidesContext: z.boolean().default(false),
    /** MCP servers that it gets in every session. */
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
