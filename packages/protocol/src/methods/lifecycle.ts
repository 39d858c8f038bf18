import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { EventId, RunId } from '../wire/ids.ts'

/** The hub would like to take back the sandbox of a run in which nothing happens; its runner may know better. */
export const RestRequest = z.looseObject({ reason: z.string().optional() })
export type RestRequest = z.infer<typeof RestRequest>

/** `rests`: all that there was to save is saved, and this runner takes on nothing more. If not, `reason` says why. */
export const RestAnswer = z.looseObject({ for: EventId, rests: z.boolean(), reason: z.string().optional() })
export type RestAnswer = z.infer<typeof RestAnswer>

/**
 * What the agent remembers by itself of its session: everything up to `upTo`, and perhaps more. `files` is a blob that
 * lists them; all blobs that it takes to bring them back are in `blobs`. `place` tells one folder from another in which
 * agents of this run have worked, and `cwd` is where the workspace was.
 */
export const AgentMemory = z.looseObject({
  agent: z.string().min(1),
  sessionId: z.string().min(1),
  files: BlobHash,
  upTo: EventId.optional(),
  place: z.string().max(100).optional(),
  cwd: z.string().max(10_000).optional(),
})
export type AgentMemory = z.infer<typeof AgentMemory>

/** The agent is to go on as if nothing after `to` had been said; files are put back by events of their own. */
export const Rewind = z.looseObject({ to: EventId })
export type Rewind = z.infer<typeof Rewind>

/** From here on the agent works there: in a sandbox of this kind, or, if it is `none`, on a device of a person's (W46). */
export const Moved = z.looseObject({ sandbox: z.string().min(1), from: z.string().nullable().optional() })
export type Moved = z.infer<typeof Moved>

/** All events before this one are those of another run, whose log goes on without this one. */
export const Forked = z.looseObject({ run: RunId, event: EventId })
export type Forked = z.infer<typeof Forked>
