import { z } from 'zod'
import { BlobHash } from '../wire/blob-hash.ts'
import { DelegatedTaskId, EventId, ProjectId, RunId, ScheduleId, TaskId, UserId } from '../wire/ids.ts'
import { limits } from '../wire/limits.ts'
import { ProjectRole } from '../wire/project-role.ts'
import { AgentStatus, RunStatus } from '../wire/run-status.ts'
import { SandboxTerms } from './sandbox-terms.ts'

const Time = z.iso.datetime()
const Title = z.string().trim().min(1).max(500)

export const Project = z.object({
  id: ProjectId,
  name: z.string(),
  owner: UserId,
  createdAt: Time,
  /** The role in it of the user who asks (W110); absent from older hubs. */
  role: ProjectRole.optional(),
})
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

/** The run of the same project from which a run was forked, and the last event that both logs share (W39). */
export const Fork = z.object({ run: RunId, event: EventId })
export type Fork = z.infer<typeof Fork>

/** How a run was created, and where it works now. Everything else about its state is a fold of its log (W23). */
export const Run = z.object({
  id: RunId,
  project: ProjectId,
  task: TaskId,
  agent: z.string().nullable(),
  mode: RunMode,
  sandbox: z.string().nullable(),
  /** Absent from older hubs. */
  terms: SandboxTerms.optional(),
  forkOf: Fork.nullable().optional(),
  createdAt: Time,
})
export type Run = z.infer<typeof Run>
/** The state of a run in short; `SyncStatus` has all of it. */
export const RunNow = z.object({
  status: RunStatus,
  agentStatus: AgentStatus,
  mode: RunMode,
  /** How many questions a user can still answer. */
  questions: z.number().int().nonnegative(),
  lastEventId: z.number().int().nonnegative(),
  /** As in W23; absent from older hubs. */
  sandboxHealthy: z.boolean().optional(),
  /** Since when its agent has been working; null: it is not. */
  turnSince: Time.nullable().optional(),
  /** How many turns are over. */
  turns: z.number().int().nonnegative().optional(),
  /** How the last turn ended that was not rewound; null: there is none. */
  stopReason: z.string().nullable().optional(),
  lastActivityAt: Time.nullable().optional(),
  /** How many messages wait for their turn; absent from older hubs. */
  messagesWaiting: z.number().int().nonnegative().optional(),
  /** A user asked to close it, and that is not done yet. */
  closing: z.boolean().optional(),
  /** How much of the agent's plan in its last turn is done; null: it made none. Absent from older hubs. */
  plan: z.object({ completed: z.number().int(), total: z.number().int() }).nullable().optional(),
})
export type RunNow = z.infer<typeof RunNow>

/** How far a user has read a run: its newest event then, and the time of its last activity. */
export const RunSeen = z.object({ event: z.number().int().nonnegative(), activeAt: Time.nullable() })
export type RunSeen = z.infer<typeof RunSeen>

/** A run in the list of all runs of a user; `now` is null if its log cannot be read. */
export const ListedRun = Run.extend({
  projectName: z.string(),
  title: z.string(),
  now: RunNow.nullable(),
  /** These two are absent from older hubs (W48, W49). */
  isArchived: z.boolean().optional(),
  isMuted: z.boolean().optional(),
  /** The task that a program delegated with it; null: none did (W80). Absent from older hubs. */
  delegated: DelegatedTaskId.nullable().optional(),
  /** The schedule that started it (W95). */
  schedule: z.object({ id: ScheduleId, name: z.string() }).nullable().optional(),
  /** How far its user has read it, on any device; null: never (W56). */
  seen: RunSeen.nullable().optional(),
  /** The role in its project of the user who asks (W110); absent from older hubs. */
  role: ProjectRole.optional(),
})
export type ListedRun = z.infer<typeof ListedRun>

export const RunTitle = z.object({ title: Title })
export type RunTitle = z.infer<typeof RunTitle>
export const RunArchived = z.object({ isArchived: z.boolean() })
export type RunArchived = z.infer<typeof RunArchived>
export const RunMuted = z.object({ isMuted: z.boolean() })
export type RunMuted = z.infer<typeof RunMuted>
/** Whether the user has the run on their screen, on this client (W49). */
export const RunLooking = z.object({
  isLooking: z.boolean(),
  /** The client that reports it, by a name that it chose itself. */
  client: z.string().regex(/^\w{1,64}$/),
  /** Whether the user writes a message there; believed for ten seconds (W115). */
  isTyping: z.boolean().optional(),
})
export type RunLooking = z.infer<typeof RunLooking>

/**
 * With `sandbox: "none"` the hub starts nothing: the program that creates the run brings the runner. Fields that a `fork`
 * leaves out are copied from the other run.
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

/** The request to close is in the log; the run is closed when its status says so (W22). */
export const CloseAccepted = z.object({ lastEventId: z.number().int().nonnegative() })
export type CloseAccepted = z.infer<typeof CloseAccepted>

/** With `after` it begins only if that generation is still the newest, and the run works on a device from then on (W46). */
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

/** Where the agent has to work (W46), unless a runner has begun after this generation. With `check` nothing is changed. */
export const RunMove = z.object({
  sandbox: z.string().min(1).max(100),
  after: z.number().int().nonnegative(),
  check: z.boolean().optional(),
})
export type RunMove = z.infer<typeof RunMove>

/** Whether a runner has been asked to rest, now or before without an answer yet; false: there is no runner. */
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

/** The owner of a token: a user, or the runner of one generation of a run. */
export const Me = z.union([
  z.object({ user: UserId, name: z.string(), role: z.enum(['owner', 'member']) }),
  z.object({ run: RunId, generation: z.number().int().positive() }),
])
export type Me = z.infer<typeof Me>

export const Ok = z.object({ ok: z.literal(true) })
export type Ok = z.infer<typeof Ok>
