import type { DelegatedStatus } from '@farhand/protocol/delegated/delegated-tasks'
import type { DeviceRequest, RequestState } from '@farhand/protocol/schemas/requests'
import type { CatchUp, OccurrenceState, Overlap } from '@farhand/protocol/schemas/schedules'
import type { SecretKind } from '@farhand/protocol/schemas/secrets'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type {
  DelegatedTaskId,
  DeviceId,
  OccurrenceId,
  ProjectId,
  RequestId,
  RunId,
  ScheduleId,
  TaskId,
  UserId,
} from '@farhand/protocol/wire/ids'
import type { Generated, Kysely } from 'kysely'

/** The open store, as queries take it. */
export type Db = Kysely<Tables>

/** What a hub makes projects of its own for. */
export type MadeFor = 'delegated' | 'requests'

/**
 * The tables of the store. Times are ISO 8601 text in UTC, which sorts and reads back the same in SQLite and in PostgreSQL. `nth`
 * counts within the parent, so that sorting by age needs no clock.
 */
export type Tables = {
  users: { id: UserId; name: string; role: Role; created_at: string }
  tokens: {
    id: string
    user_id: UserId
    name: string
    hash: string
    created_at: string
    last_used_at: string | null
    revoked_at: string | null
    /** A session is the token of one browser; its name says which. A device's is its `acp_token`. */
    kind: 'token' | 'session' | 'device'
    /** Null: never. A session's moves on with each use. */
    expires_at: string | null
    /** The bound device that it is of, or that a session was begun from: it ends with that. */
    device_id: string | null
    /** How a session began: with the password, or with a code that was made on the hub's own machine. Null: in another way, or unknown. */
    begun_by: 'password' | 'machine' | null
  }
  /** Argon2id, in the usual text form. Its own table, so that no list of users reads it. */
  passwords: { user_id: UserId; hash: string; changed_at: string }
  acp_devices: {
    id: string
    user_id: UserId
    device_name: string
    refresh_token_hash: string
    /** The refresh token that the current one was given for. */
    previous_hash: string | null
    /** The `acp_token` that came with the current refresh token. */
    token_id: string
    is_active: 0 | 1
    created_at: string
    last_seen_at: string
  }
  /** Devices that wait until a user approves them. */
  acp_codes: {
    device_code_hash: string
    user_code_hash: string
    device_name: string
    address: string
    created_at: string
    until: string
    state: 'pending' | 'approved' | 'refused'
    user_id: UserId | null
    polled_at: string | null
  }
  /** Rows are deleted when they are used. */
  sign_in_codes: {
    hash: string
    user_id: UserId
    until: string
    device_id: string | null
    /** The token or session that made it; null if the hub did. */
    token_id: string | null
    /** Whether it was made on the hub's own machine. */
    is_of_machine: 0 | 1
  }
  /** Ids of linked folders that have written events, each with the user who wrote with it first, and under which bound device. */
  devices: { id: string; user_id: UserId; created_at: string; bound_to: string | null }
  projects: {
    id: ProjectId
    owner_id: UserId
    nth: number
    name: string
    created_at: string
    /** What the hub itself has made it for; null: a user has made it, whatever its name. */
    made_for: MadeFor | null
    /** 1 from the first user on who joined it: then its runs may have been started by several users. */
    is_shared: Generated<0 | 1>
  }
  /** The users of each project besides its owner. */
  project_members: {
    project_id: ProjectId
    user_id: UserId
    role: 'member' | 'viewer'
    created_at: string
  }
  project_invitations: {
    id: string
    project_id: ProjectId
    role: 'member' | 'viewer'
    hash: string
    uses_left: number
    created_by: UserId
    created_at: string
    expires_at: string
  }
  /** Links that show one run to others. Rows are deleted when they are revoked. */
  run_links: {
    id: string
    run_id: RunId
    hash: string
    created_by: UserId
    created_at: string
    expires_at: string
    last_used_at: string | null
  }
  /** As the columns of `runs`, for users who did not start the run. */
  run_preferences: {
    run_id: RunId
    user_id: UserId
    is_archived: 0 | 1
    is_muted: 0 | 1
    seen_event: number | null
    seen_active_at: string | null
  }
  tasks: {
    id: TaskId
    project_id: ProjectId
    nth: number
    title: string
    prompt: string | null
    created_at: string
  }
  runs: {
    id: RunId
    task_id: TaskId
    nth: number
    agent: string | null
    mode: 'interactive' | 'background'
    sandbox: string | null
    /** `SandboxTerms` as JSON. */
    terms: string
    created_at: string
    close_requested_at: string | null
    /** The user who started it, whose limits count. Who may see it is said by its project. */
    owner_id: UserId
    /** Counts all runs that this user started. */
    owner_nth: number
    /** A flag that avoids reading logs: 0 is closed, 1 may be either. */
    is_open: 0 | 1
    /** A flag too: 0 has no open question, 1 may have one. */
    may_wait: 0 | 1
    /** Both or neither: the run whose log this one's begins with, and up to which event. */
    fork_run: RunId | null
    fork_event: number | null
    /** The title that the user gave it; null: the title of its task. */
    title: string | null
    is_archived: 0 | 1
    is_muted: 0 | 1
    /** Both or neither: up to which event its owner has read it, and when something was last done in it then. */
    seen_event: number | null
    seen_active_at: string | null
    /** For lists: the time of the last activity, or of creation; '' is not known yet. */
    active_at: string
    /** The schedule that started it. */
    schedule_id: ScheduleId | null
  }
  /** Tasks that programs delegated. What became of them is a note of what their logs say. */
  acp_tasks: {
    id: DelegatedTaskId
    user_id: UserId
    /** Counts all of the user's. */
    nth: number
    device_id: DeviceId | null
    status: DelegatedStatus
    task_description: string
    /** As JSON. */
    context: string | null
    conversation_id: string | null
    session_id: RunId
    result_summary: string | null
    created_at: string
    completed_at: string | null
  }
  push_subscriptions: {
    /** A hash of the endpoint: a browser that subscribes again keeps its id. */
    id: string
    user_id: UserId
    /** The session of the browser: after signing out it gets no notifications. */
    token_id: string
    endpoint: string
    p256dh: string
    auth: string
    created_at: string
  }
  /** What the owner of a run has been notified of. */
  told: { run_id: RunId; question: number; turns: number; has_failed: 0 | 1 }
  /** Forks whose logs are being made and whose runs do not exist yet. */
  forks_under_way: { run_id: RunId }
  /** At most one for each run; none for a run that sleeps, is closed, or never had any. */
  sandboxes: {
    run_id: RunId
    /** Null when there is none now and only its failures are remembered. */
    id: string | null
    host: string | null
    generation: number
    state: 'starting' | 'started' | 'working'
    since: string
    /** As JSON. */
    failures: string
  }
  callbacks: {
    run_id: RunId
    url: string
    events: string
    secret: string | null
    created_at: string
    /** The last event that needs no further call; null: calls begin with the next new event. */
    sent_to: number | null
  }
  blobs: {
    project_id: ProjectId
    hash: BlobHash
    size: number
    used_at: string
    kept: 0 | 1
    /** Both or neither: without them the bytes are in a separate file. */
    segment: number | null
    start: number | null
  }
  /** At most one row: up to this place, every blob in the segments has a row. */
  settled_packs: { id: 1; segment: number; start: number }
  secrets: {
    project_id: ProjectId
    name: string
    kind: SecretKind
    /** The beginning of the addresses that a `git` secret is for. */
    remote: string | null
    key_id: string
    sealed: string
    created_at: string
    updated_at: string
  }
  setup_caches: {
    project_id: ProjectId
    key: string
    hash: BlobHash
    /** A list, as JSON. */
    paths: string
    tree: string | null
    made_by: RunId
    created_at: string
  }
  /** Requests that a device or a sandbox answers. `state` changes only from the state that the writer has read. */
  acp_requests: {
    id: RequestId
    user_id: UserId
    /** Its run; while it is only offered, the run in which it was offered. */
    run_id: RunId
    message: string
    message_digest: string
    /** The event of its message in the log of the run; null until it is there. */
    message_event: number | null
    channel: string
    state: RequestState
    /** Every state that it had, as JSON. */
    states: string
    decided: DeviceRequest['decided']
    device_id: DeviceId | null
    /** The devices that it came from, directly or through others, as JSON. */
    origin_devices: string
    needs_device: 0 | 1
    part_of: RequestId | null
    notice: string | null
    created_at: string
    expires_at: string | null
    /** 1 from when it was canceled or expired until its message is taken back from the log of its run. */
    owes_withdrawal: Generated<0 | 1>
  }
  schedules: {
    id: ScheduleId
    owner_id: UserId
    nth: number
    project_id: ProjectId
    task_id: TaskId
    name: string
    /** `Timing` as JSON. */
    timing: string
    /** From when intervals are counted. */
    anchor: string
    /** `ScheduledRun` as JSON. */
    run: string
    catch_up: CatchUp
    overlap: Overlap
    pause_after: number
    until: string | null
    max_runs: number | null
    /** `ScheduleCallback` as JSON. */
    callback: string | null
    /** Why it is paused; null: it is not. */
    paused: 'user' | 'failures' | null
    runs: number
    failures: number
    /** The earliest due time that is not in the ledger; null: there is none. */
    next_due_at: string | null
    /** The latest due time that is in the ledger. */
    last_due_at: string | null
    created_at: string
    updated_at: string
    /** Runs keep the name of the schedule that started them, so a row is never deleted. */
    removed_at: string | null
  }
  occurrences: {
    id: OccurrenceId
    schedule_id: ScheduleId
    due_at: string
    first_due_at: string
    stands_for: number
    by: 'time' | 'user'
    state: OccurrenceState
    reason: string | null
    /** The claim, not the hub: a hub that claims twice has two. */
    claimed_by: string | null
    claimed_at: string | null
    run_id: RunId | null
    /** Whether the first events of its run are in the log. */
    has_begun: 0 | 1
    started_at: string | null
    ended_at: string | null
    /** What the owner still has to be notified of; `-pushed`: only the callback has not been called. */
    alarm: 'missed' | 'paused' | 'missed-pushed' | 'paused-pushed' | null
  }
  idempotency: {
    user_id: UserId
    key: string
    route: string
    body_digest: string
    answer: string | null
    created_at: string
  }
}

export type Role = 'owner' | 'member'

const hourMs = 60 * 60 * 1000

/** For times that are only updated once they are an hour old. */
export const anHourBefore = (now: Date): string => new Date(now.getTime() - hourMs).toISOString()
