import { z } from 'zod'
import * as delegated from '../delegated/delegated-tasks.ts'
import { FileEntry } from '../methods/files.ts'
import { methods } from '../methods/methods.ts'
import { PendingQuestion, SyncStatus } from '../runs/sync-status.ts'
import * as accounts from '../schemas/accounts.ts'
import * as api from '../schemas/api.ts'
import * as availableAgents from '../schemas/available-agents.ts'
import * as deviceFrames from '../schemas/device-frames.ts'
import * as push from '../schemas/push.ts'
import * as requests from '../schemas/requests.ts'
import {
  NewSchedule,
  Occurrence,
  OccurrencePage,
  Schedule,
  ScheduleChange,
  ScheduledRun,
  SchedulePage,
  Timing,
} from '../schemas/schedules.ts'
import { ListedSecret, NewSecret, SecretPage } from '../schemas/secrets.ts'
import { Session, SessionName, SessionPage, SignInCode, SignInRequest } from '../schemas/sessions.ts'
import { SetupCache } from '../schemas/setup-cache.ts'
import * as sharing from '../schemas/sharing.ts'
import { BlobHash } from '../wire/blob-hash.ts'
import * as event from '../wire/event.ts'
import * as faults from '../wire/faults.ts'
import * as ids from '../wire/ids.ts'
import { ProjectRole } from '../wire/project-role.ts'
import { RunStatus } from '../wire/run-status.ts'
import { codeName } from '../wire/wire-names.ts'
import { WorkspacePath } from '../wire/workspace-path.ts'
import { ListedRunPage, ProjectPage, RunPage, TaskPage } from './collections.ts'
import { DelegatedTaskPage } from './delegated-tasks.ts'
import { PostSyncAnswer, PostSyncBody } from './sync.ts'

/** The schema name of a method's params: that of a user_message is `UserMessageParams`. */
export function paramsName(method: string): string {
  const words = (codeName(method) ?? method).split(/[/_]/)
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Params`
}

/** The name of every schema of the wire that has one. */
export function schemaNames(): Map<z.ZodType, string> {
  const names = new Map<z.ZodType, string>()
  const add = (schemas: Record<string, unknown>) => {
    for (const [name, schema] of Object.entries(schemas))
      if (schema instanceof z.ZodType) names.set(schema, name)
  }
  for (const [method, { params }] of Object.entries(methods)) names.set(params, paramsName(method))
  add(ids)
  add(api)
  add(accounts)
  add(availableAgents)
  add({ AgentsHere: availableAgents.AvailableAgents })
  add(sharing)
  add(push)
  add(delegated)
  // The wire has older names for these than the code.
  add({ Telling: push.RunNotification, TellingKind: push.RunNotificationKind })
  add(requests)
  add(deviceFrames)
  add(event)
  add(faults)
  add({ BlobHash, WorkspacePath, FileEntry, RunStatus, SyncStatus, PendingQuestion, ProjectRole })
  add({ ProjectPage, TaskPage, RunPage, ListedRunPage, DelegatedTaskPage, PostSyncBody, PostSyncAnswer })
  add({ ListedSecret, NewSecret, SecretPage, SetupCache })
  add({
    Schedule,
    NewSchedule,
    ScheduleChange,
    SchedulePage,
    ScheduledRun,
    Timing,
    Occurrence,
    OccurrencePage,
  })
  add({ Session, SessionName, SessionPage, SignInCode, SignInRequest })
  return names
}
