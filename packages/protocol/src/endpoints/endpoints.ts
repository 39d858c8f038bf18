import { around } from './around.ts'
import { collections } from './collections.ts'
import { desk } from './desk.ts'
import type { Endpoint } from './endpoint.ts'
import { secrets } from './secrets.ts'
import { sessions } from './sessions.ts'
import { setup } from './setup.ts'
import { sync } from './sync.ts'

/** Everything a hub can be asked. A hub answers each by its name here. */
export const endpoints = {
  ...collections,
  ...sync,
  ...secrets,
  ...setup,
  ...sessions,
  ...desk,
  ...around,
} satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof endpoints
