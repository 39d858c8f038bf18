import { z } from 'zod'

/** An agent that a hub knows, and whether it can work in one of its sandboxes. */
export const ListedAgent = z.object({
  id: z.string(),
  name: z.string(),
  /** `maybe`: it is installed, and works in projects that have what is missing as a secret. */
  state: z.enum(['usable', 'maybe', 'unset', 'not-installed']),
  /** Groups of variables: one of each group has to be set. */
  missing: z.array(z.array(z.string())),
  install: z.string().nullable(),
})
export type ListedAgent = z.infer<typeof ListedAgent>

/** A kind of sandbox; `unusable` says why this hub cannot start it. */
export const ListedSandbox = z.object({
  kind: z.string(),
  /** False: programs in it have all permissions of the hub's system user. */
  isolates: z.boolean(),
  unusable: z.string().nullable(),
})
export type ListedSandbox = z.infer<typeof ListedSandbox>

/** The agents and sandboxes that runs of a hub can have (W48). Both are empty at a hub without sandboxes. */
export const AvailableAgents = z.object({
  agents: z.array(ListedAgent),
  /** The best first. */
  sandboxes: z.array(ListedSandbox),
  /** The kind of a run that asks for none: one of these, `auto` for the first that works, or `none`. */
  usual: z.string(),
})
export type AvailableAgents = z.infer<typeof AvailableAgents>
