import { accounts } from './accounts.ts'
import { blobs, signedFiles } from './blobs.ts'
import { collections } from './collections.ts'
import { delegatedTasks } from './delegated-tasks.ts'
import type { Endpoint } from './endpoint.ts'
import { agents, hubInfo } from './hub-info.ts'
import { push } from './push.ts'
import { requests } from './requests.ts'
import { runPreferences } from './run-preferences.ts'
import { schedules } from './schedules.ts'
import { secrets } from './secrets.ts'
import { sessions } from './sessions.ts'
import { setup } from './setup.ts'
import { sharing } from './sharing.ts'
import { sync } from './sync.ts'

/** Every request that a hub answers, by the name under which the hub implements it. */
export const endpoints = {
  ...collections,
  ...sync,
  ...blobs,
  ...secrets,
  ...setup,
  ...sessions,
  ...accounts,
  ...sharing,
  ...runPreferences,
  ...agents,
  ...push,
  ...requests,
  ...delegatedTasks,
  ...schedules,
  ...signedFiles,
  ...hubInfo,
} satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof endpoints
