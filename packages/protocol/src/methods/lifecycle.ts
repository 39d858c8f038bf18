import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { EventId, RunId } from '../wire/ids.ts'

/** The hub wants to stop the sandbox of an idle run; the runner may refuse. */
export const RestRequest = z.looseObject({ reason: z.string().optional() })
export type RestRequest = z.infer<typeof RestRequest>

/** `rests`: the runner has saved everything and takes no more work. If false, `reason` says why. */
export const RestAnswer = z.looseObject({ for: EventId, rests: z.boolean(), reason: z.string().optional() })
export type RestAnswer = z.infer<typeof RestAnswer>

/**
 * The files in which the agent itself stores its session: everything up to `upTo`, and perhaps more. `files` is a blob that
 * lists them; `blobs` has all blobs that are needed to restore them. `place` identifies the folder in which the agent worked,
 * and `cwd` is the path that the workspace had.
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

/** The agent has to go on as if nothing after `to` had been said; files are put back by other events. */
export const Rewind = z.looseObject({ to: EventId })
export type Rewind = z.infer<typeof Rewind>

/** From here on the agent works in a sandbox of this kind, or, if it is `none`, on a device of the user's (W46). */
export const Moved = z.looseObject({ sandbox: z.string().min(1), from: z.string().nullable().optional() })
export type Moved = z.infer<typeof Moved>

/** All events before this one were copied from the log of that run. */
export const Forked = z.looseObject({ run: RunId, event: EventId })
export type Forked = z.infer<typeof Forked>
