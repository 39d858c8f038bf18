import type { AvailableAgents } from '@farhand/protocol/schemas/available-agents'
import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import type { Logger } from 'pino'
import type { FailedAttempts } from '../../access/failed-attempts.ts'
import type { PasswordAttempts } from '../../access/password-attempts.ts'
import type { PasswordHasher } from '../../access/passwords/password-hasher.ts'
import type { Secret } from '../../access/secret.ts'
import type { SignIn } from '../../access/sign-in.ts'
import type { Vault } from '../../access/vault.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import type { DeviceLines } from '../../collab/device-lines.ts'
import type { NewRequestParts } from '../../collab/new-request.ts'
import type { TaskFolds } from '../../collab/task-folds.ts'
import type { HubConfig } from '../../config/hub-config.ts'
import type { AskedOf, WrongClone } from '../../lifecycle/local-placement.ts'
import type { EventLog } from '../../log/event-log.ts'
import type { LogReaders } from '../../log/follow.ts'
import type { Presence } from '../../notify/presence.ts'
import type { RunViewers } from '../../notify/run-viewers.ts'
import type { WebHooks } from '../../notify/web-hooks.ts'
import type { WebPush } from '../../notify/web-push.ts'
import type { ActivityNotes } from '../../runs/activity-notes.ts'
import type { Closer } from '../../runs/closer.ts'
import type { RunBlobs } from '../../runs/run-blobs.ts'
import type { RunChanges } from '../../runs/run-changes.ts'
import type { OwnedRun, RunDirectory } from '../../runs/run-directory.ts'
import type { Scheduler } from '../../schedules/scheduler.ts'
import type { Db } from '../../store/tables.ts'
import type { InlineContentSubscribers } from '../streams/inline-content-subscribers.ts'
import type { OpenStreams } from '../streams/open-streams.ts'
import type { Metrics } from './metrics.ts'
import type { WebApp } from './web-app.ts'

/** The parts of the hub that request handlers use. `hub.ts` puts them together. */
export type HubParts = {
  config: HubConfig
  db: Db
  log: EventLog
  blobs: BlobStore
  readers: LogReaders
  streams: OpenStreams
  inlineSubscribers: InlineContentSubscribers
  secret: Secret
  vault: Vault
  signIn: SignIn
  failedCodes: FailedAttempts
  failedTokens: FailedAttempts
  /** The longest lock of a user name is short: others can cause it. */
  failedPasswords: { byUser: PasswordAttempts; byAddress: PasswordAttempts }
  passwords: Pick<PasswordHasher, 'hash' | 'isRight'>
  web: WebApp
  /** The command that users type on this machine to run farhand. */
  command: string
  /** The URLs of this hub: first the one for its own machine, then those for other machines. */
  urls: () => string[]
  directory: RunDirectory
  runBlobs: RunBlobs
  /** Whether the runner of this generation is connected and was heard recently (W23). */
  isHealthy: (run: RunId, generation: number) => boolean
  closer: Closer
  metrics: Metrics
  runChanges: RunChanges
  taskFolds: TaskFolds
  activity: Pick<ActivityNotes, 'noted'>
  viewers: RunViewers
  presence: Presence
  webHooks: Pick<WebHooks, 'registered'>
  webPush: Pick<WebPush, 'publicKey'>
  /** The connected devices of users, and the requests that these or sandboxes answer. */
  collab: NewRequestParts & { lines: DeviceLines }
  schedules: Pick<Scheduler, 'look'>
  logger: Logger
  /** False from the moment the hub was asked to stop. */
  ready: () => boolean
  /** Has the keeper check a run after a change that is not in its log. */
  look: (run: RunId) => void
  /** A run was moved. A runner of this generation that is still connected no longer counts. */
  moved: (run: RunId, generation: number) => void
  /** Why a run cannot have the sandbox that it asks for; null if it can. */
  whyNoSandbox: (run: OwnedRun) => Promise<string | null>
  /** What a run asks for that its user may not have, and why (W50); null if nothing. */
  refusal: (asked: AskedOf) => Promise<{ field: string; why: string } | null>
  /** Why a run cannot begin from the repository that it names; null if it can, or if that is unknown. */
  wrongClone: (asked: AskedOf & Pick<OwnedRun, 'project'>) => Promise<WrongClone | null>
  /** Which agents and kinds of sandbox this user's runs can use here. */
  agentsHere: (user: UserId) => Promise<AvailableAgents>
}
