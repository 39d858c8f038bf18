import type { SecretKind } from '@farhand/protocol/schemas/secrets'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { ProjectId, RunId, TaskId, UserId } from '@farhand/protocol/wire/ids'

/**
 * The small relational part. Times are ISO 8601 text in UTC: the one form that sorts the same, and comes back the
 * same, from SQLite and from PostgreSQL. `nth` counts within the parent, so that newest first needs no clock.
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
    /** A session is the token of one browser; its name says which. */
    kind: 'token' | 'session'
  }
  /** They are gone once they are used. */
  sign_in_codes: { hash: string; user_id: UserId; until: string }
  /** Devices that have written something, each of the first user who did so with it. */
  devices: { id: string; user_id: UserId; created_at: string }
  projects: { id: ProjectId; owner_id: UserId; nth: number; name: string; created_at: string }
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
    owner_id: UserId
    /** Counts all runs of the owner's. */
    owner_nth: number
    /** A hint that spares a look at logs: 0 is closed, 1 may be either. */
    is_open: 0 | 1
    /** A hint too: 0 asks nobody anything, 1 may. */
    may_wait: 0 | 1
    /** Both or neither: the run whose log this one's begins with, and up to which event. */
    fork_run: RunId | null
    fork_event: number | null
    /** What its user calls it; null: as its task is called. */
    title: string | null
    is_archived: 0 | 1
    is_muted: 0 | 1
    /** Both or neither: up to which event its owner has read it, and when something was last done in it then. */
    seen_event: number | null
    seen_active_at: string | null
    /** A hint for lists: when something was last done in it, or it was made; '' is not known yet. */
    active_at: string
  }
  push_subscriptions: {
    /** Made from the endpoint: a browser that subscribes again has the same one. */
    id: string
    user_id: UserId
    /** Whoever is signed out is told nothing. */
    token_id: string
    endpoint: string
    p256dh: string
    auth: string
    created_at: string
  }
  /** Up to where people have been told of a run. */
  told: { run_id: RunId; question: number; turns: number; has_failed: 0 | 1 }
  /** Runs that have a log, or a part of one, and are no runs yet. */
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
    /** The last event of the log that it has been told, or need not be; null: none yet, it begins with what comes. */
    sent_to: number | null
  }
  blobs: {
    project_id: ProjectId
    hash: BlobHash
    size: number
    used_at: string
    kept: 0 | 1
    /** Both or neither: without them the bytes lie in a file of their own. */
    segment: number | null
    start: number | null
  }
  /** One row at most: up to where the segments hold nothing that is not written here. */
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

/** For times that are only written again once they are an hour old. */
export const anHourBefore = (now: Date): string => new Date(now.getTime() - hourMs).toISOString()
