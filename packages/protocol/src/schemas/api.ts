import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { EventId, ProjectId, RunId, TaskId, UserId } from '../wire/ids.ts'
import { limits } from '../wire/limits.ts'
import { AgentStatus, RunStatus } from '../wire/run-status.ts'
import { SandboxTerms } from './sandbox-terms.ts'

const Time = z.iso.datetime()
const Title = z.string().trim().min(1).max(500)

export const Project = z.object({ id: ProjectId, name: z.string(), owner: UserId, createdAt: Time })
export type Project = z.infer<typeof Project>
export const NewProject = z.object({ name: Title })
export type NewProject = z.infer<typeof NewProject>

export const Task = z.object({
  id: TaskId,
  project: ProjectId,
  title: z.string(),
  prompt: z.string().nullable(),
  createdAt: Time,
})
export type Task = z.infer<typeof Task>
export const NewTask = z.object({ title: Title, prompt: z.string().max(200_000).optional() })
export type NewTask = z.infer<typeof NewTask>

export const RunMode = z.enum(['interactive', 'background'])
export type RunMode = z.infer<typeof RunMode>

/** A run of the same project, and the event up to which its log is that of another one too (W39). */
export const Fork = z.object({ run: RunId, event: EventId })
export type Fork = z.infer<typeof Fork>

/** What a run was asked to be, and where it works now. All else that it is now is a fold of its log (W23). */
export const Run = z.object({
  id: RunId,
  project: ProjectId,
  task: TaskId,
  agent: z.string().nullable(),
  mode: RunMode,
  sandbox: z.string().nullable(),
  /** Whoever says nothing of them is older than they are. */
  terms: SandboxTerms.optional(),
  forkOf: Fork.nullable().optional(),
  createdAt: Time,
})
export type Run = z.infer<typeof Run>
/** How a run stands, in short; the whole of it is a `SyncStatus`. */
export const RunNow = z.object({
  status: RunStatus,
  agentStatus: AgentStatus,
  mode: RunMode,
  /** How many questions a person can still answer. */
  questions: z.number().int().nonnegative(),
  lastEventId: z.number().int().nonnegative(),
  /** As in W23; whoever says nothing of it is older than it. */
  sandboxHealthy: z.boolean().optional(),
  /** Since when its agent has been at it; null: it is not. */
  turnSince: Time.nullable().optional(),
  /** How many turns are over, and how the last one ended that was not taken back; null: there is none. */
  turns: z.number().int().nonnegative().optional(),
  stopReason: z.string().nullable().optional(),
  lastActivityAt: Time.nullable().optional(),
  /** How many messages no turn has begun yet; whoever says nothing of it is older than it. */
  messagesWaiting: z.number().int().nonnegative().optional(),
  /** Someone asked to close it, and that is not done yet. */
  closing: z.boolean().optional(),
})
export type RunNow = z.infer<typeof RunNow>

/** How far somebody has read a run: its newest event then, and when something was last done in it. */
export const RunSeen = z.object({ event: z.number().int().nonnegative(), activeAt: Time.nullable() })
export type RunSeen = z.infer<typeof RunSeen>

/** A run among all those of a user; `now` is null if its log cannot be read. */
export const ListedRun = Run.extend({
  projectName: z.string(),
  title: z.string(),
  now: RunNow.nullable(),
  /** Whoever says nothing of these two is older than they are (W48, W49). */
  isArchived: z.boolean().optional(),
  isMuted: z.boolean().optional(),
  /** How far its user has read it, on whatever device; null: never (W56). */
  seen: RunSeen.nullable().optional(),
})
export type ListedRun = z.infer<typeof ListedRun>

export const RunTitle = z.object({ title: Title })
export type RunTitle = z.infer<typeof RunTitle>
export const RunArchived = z.object({ isArchived: z.boolean() })
export type RunArchived = z.infer<typeof RunArchived>
export const RunMuted = z.object({ isMuted: z.boolean() })
export type RunMuted = z.infer<typeof RunMuted>
/** Whether a person has the run before their eyes, on this client (W49). */
export const RunLooking = z.object({
  isLooking: z.boolean(),
  /** Which of the user's clients says so, by a name of its own choosing. */
  client: z.string().regex(/^\w{1,64}$/),
})
export type RunLooking = z.infer<typeof RunLooking>

/**
 * With `sandbox: "none"` the hub starts nothing: whoever opens the run is its runner, or has one. What a `fork` leaves
 * out is as the other run has it.
 */
export const NewRun = z.object({
  agent: z.string().min(1).max(100).optional(),
  mode: RunMode.optional(),
  sandbox: z.string().min(1).max(100).optional(),
  terms: SandboxTerms.optional(),
  prompt: z.string().min(1).max(200_000).optional(),
  fork: Fork.optional(),
})
export type NewRun = z.infer<typeof NewRun>

/** One page of a collection, newest first; `next` is the cursor of the page after it. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.string().nullable() })

/** `answered`: the message was the answer to this question (W62). */
export const Posted = z.object({
  lastEventId: z.number().int(),
  ids: z.array(z.number().int()),
  answered: z.string().optional(),
})
export type Posted = z.infer<typeof Posted>

/** What `session_init` answers (W12). */
export const SessionOpened = z.object({
  sessionId: RunId,
  lastEventId: z.number().int().nonnegative(),
  status: RunStatus,
})
export type SessionOpened = z.infer<typeof SessionOpened>

/** A close was asked for and is in the log; it is over when the status says closed (W22). */
export const CloseAccepted = z.object({ lastEventId: z.number().int().nonnegative() })
export type CloseAccepted = z.infer<typeof CloseAccepted>

/** With `after` it begins only as the next one after that generation, and the run works on a device from then on (W46). */
export const NewRunner = z.object({
  sandboxId: z.string().min(1).max(200).optional(),
  after: z.number().int().nonnegative().optional(),
})
export type NewRunner = z.infer<typeof NewRunner>
/** `previousSeq` is how far the runner before this one got, or null if none of its events is in the log (W8). */
export const RunnerGrant = z.object({
  token: z.string(),
  generation: z.number().int().positive(),
  previousSeq: z.number().int().nullable(),
})
export type RunnerGrant = z.infer<typeof RunnerGrant>

/** Where the agent is to work (W46), unless a runner has begun after this generation. With `check` nothing is changed. */
export const RunMove = z.object({
  sandbox: z.string().min(1).max(100),
  after: z.number().int().nonnegative(),
  check: z.boolean().optional(),
})
export type RunMove = z.infer<typeof RunMove>

/** Whether a runner was asked to rest, or was before and has not answered; else there is none. */
export const RestAsking = z.object({ isAsked: z.boolean(), lastEventId: z.number().int().nonnegative() })
export type RestAsking = z.infer<typeof RestAsking>

export const FileUrl = z.object({ url: z.string() })
export type FileUrl = z.infer<typeof FileUrl>
export const FileUrlsRequest = z.object({ hashes: z.array(BlobHash).min(1).max(limits.hashesPerRequest) })
export type FileUrlsRequest = z.infer<typeof FileUrlsRequest>
export const BlobsRequest = z.object({ hashes: z.array(BlobHash).min(1).max(limits.hashesPerRequest) })
export type BlobsRequest = z.infer<typeof BlobsRequest>
export const FileUrls = z.object({
  urls: z.record(BlobHash, z.string()),
  missing: z.record(BlobHash, z.string()),
})
export type FileUrls = z.infer<typeof FileUrls>

export const StoredBlob = z.object({ hash: BlobHash, size: z.number().int().nonnegative() })
export type StoredBlob = z.infer<typeof StoredBlob>

export const CallbackEvent = z.enum(['agent_message', 'question', 'done', 'error'])
export type CallbackEvent = z.infer<typeof CallbackEvent>
export const RegisterCallback = z.object({
  type: z.literal('register_callback'),
  callbacks: z
    .array(
      z.object({
        url: z.url({ protocol: /^https?$/ }).max(2000),
        events: z.array(CallbackEvent).min(1).max(20),
        secret: z.string().min(1).max(500).optional(),
      }),
    )
    .min(1)
    .max(20),
})
export type RegisterCallback = z.infer<typeof RegisterCallback>

export const CallbacksRegistered = z.object({ registered: z.number().int().positive() })
export type CallbacksRegistered = z.infer<typeof CallbacksRegistered>

/** Who a token belongs to: a user, or the runner of one generation of a run. */
export const Me = z.union([
  z.object({ user: UserId, name: z.string(), role: z.enum(['owner', 'member']) }),
  z.object({ run: RunId, generation: z.number().int().positive() }),
])
export type Me = z.infer<typeof Me>

export const Ok = z.object({ ok: z.literal(true) })
export type Ok = z.infer<typeof Ok>
