import type { AvailableAgents } from '@farhand/protocol/schemas/available-agents'
import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { FailedAttempts } from '../../access/failed-attempts.ts'
import type { Secret } from '../../access/secret.ts'
import type { SignIn } from '../../access/sign-in.ts'
import type { Vault } from '../../access/vault.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import type { HubConfig } from '../../config/hub-config.ts'
import type { AskedOf, WrongClone } from '../../lifecycle/local-placement.ts'
import type { EventLog } from '../../log/event-log.ts'
import type { LogReaders } from '../../log/follow.ts'
import type { RunViewers } from '../../notify/run-viewers.ts'
import type { WebHooks } from '../../notify/web-hooks.ts'
import type { WebPush } from '../../notify/web-push.ts'
import type { ActivityNotes } from '../../runs/activity-notes.ts'
import type { Closer } from '../../runs/closer.ts'
import type { RunChanges } from '../../runs/run-changes.ts'
import type { OwnedRun, RunDirectory } from '../../runs/run-directory.ts'
import type { Tables } from '../../store/tables.ts'
import type { InlineContentSubscribers } from '../streams/inline-content-subscribers.ts'
import type { OpenStreams } from '../streams/open-streams.ts'
import type { Metrics } from './metrics.ts'
import type { WebApp } from './web-app.ts'

/** What the handlers work with; put together in one place, `hub.ts`. */
export type HubParts = {
  config: HubConfig
  db: Kysely<Tables>
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
  web: WebApp
  /** How farhand is called on this machine. */
  command: string
  /** Where this hub is reached: by whoever sits beside it first, then by others. */
  urls: () => string[]
  directory: RunDirectory
  closer: Closer
  metrics: Metrics
  runChanges: RunChanges
  activity: Pick<ActivityNotes, 'noted'>
  viewers: RunViewers
  webHooks: Pick<WebHooks, 'registered'>
  webPush: Pick<WebPush, 'publicKey'>
  logger: Logger
  /** False from the moment the hub was asked to stop. */
  ready: () => boolean
  /** There may be something to do for the sandbox of a run, of which its log does not tell. */
  look: (run: RunId) => void
  /** A run was moved; a runner of this generation, if it is still there, has no say in where it works. */
  moved: (run: RunId, generation: number) => void
  /** Why a run could have no sandbox as it asks for one; null if it could. */
  whyNoSandbox: (run: OwnedRun) => Promise<string | null>
  /** What a run asks for that its user may not have, and why (W50); null if they may have all of it. */
  refusal: (asked: AskedOf) => Promise<{ field: string; why: string } | null>
  /** Why a run cannot begin from the repository that it names; null if it can, or if that is not known. */
  wrongClone: (asked: AskedOf & Pick<OwnedRun, 'project'>) => Promise<WrongClone | null>
  /** What runs of this user can have here. */
  agentsHere: (user: UserId) => Promise<AvailableAgents>
}
