import { z } from 'zod'

/** An agent that a hub knows, and whether it could work in one of its sandboxes. */
export const ListedAgent = z.object({
  id: z.string(),
  name: z.string(),
  /** `maybe`: it is there, and works for whoever brings what is missing as a secret of the project. */
  state: z.enum(['usable', 'maybe', 'unset', 'not-installed']),
  /** Groups of variables: of each one has to be set. */
  missing: z.array(z.array(z.string())),
  install: z.string().nullable(),
})
export type ListedAgent = z.infer<typeof ListedAgent>

/** A kind of sandbox that a hub has, and why it cannot be had, if it cannot. */
export const ListedSandbox = z.object({
  kind: z.string(),
  /** False: what runs in it may do whatever the hub's user may. */
  isolates: z.boolean(),
  unusable: z.string().nullable(),
})
export type ListedSandbox = z.infer<typeof ListedSandbox>

/** What runs of a hub can be given (W48). A hub without sandboxes has none of either. */
export const AvailableAgents = z.object({
  agents: z.array(ListedAgent),
  /** The better ones first. */
  sandboxes: z.array(ListedSandbox),
  /** What a run has that asks for no kind: one of these, `auto` for the first that works, or `none`. */
  usual: z.string(),
})
export type AvailableAgents = z.infer<typeof AvailableAgents>
