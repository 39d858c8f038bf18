import { z } from 'zod'
import * as agentsHere from './agents-here.ts'
import * as api from './api.ts'
import { BlobHash } from './blob-hash.ts'
import { ListedRunPage, ProjectPage, RunPage, TaskPage } from './endpoints/collections.ts'
import { PostSyncAnswer, PostSyncBody } from './endpoints/sync.ts'
import * as event from './event.ts'
import * as faults from './faults.ts'
import * as ids from './ids.ts'
import { FileEntry } from './methods/files.ts'
import { methods } from './methods.ts'
import * as push from './push.ts'
import { RunStatus } from './run-status.ts'
import { ListedSecret, NewSecret, SecretPage } from './secrets.ts'
import { Session, SessionName, SessionPage, SignInCode, SignInRequest } from './sessions.ts'
import { SetupCache } from './setup-cache.ts'
import { PendingQuestion, SyncStatus } from './sync-status.ts'
import { codeName } from './wire-names.ts'
import { WorkspacePath } from './workspace-path.ts'

/** What the params of a method are called: those of a user_message are `UserMessageParams`. */
export function paramsName(method: string): string {
  const words = (codeName(method) ?? method).split(/[/_]/)
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Params`
}

/** Every schema of the wire that has a name of its own. */
export function schemaNames(): Map<z.ZodType, string> {
  const names = new Map<z.ZodType, string>()
  const add = (schemas: Record<string, unknown>) => {
    for (const [name, schema] of Object.entries(schemas))
      if (schema instanceof z.ZodType) names.set(schema, name)
  }
  for (const [method, { params }] of Object.entries(methods)) names.set(params, paramsName(method))
  add(ids)
  add(api)
  add(agentsHere)
  add(push)
  add(event)
  add(faults)
  add({ BlobHash, WorkspacePath, FileEntry, RunStatus, SyncStatus, PendingQuestion })
  add({ ProjectPage, TaskPage, RunPage, ListedRunPage, PostSyncBody, PostSyncAnswer })
  add({ ListedSecret, NewSecret, SecretPage, SetupCache })
  add({ Session, SessionName, SessionPage, SignInCode, SignInRequest })
  return names
}
