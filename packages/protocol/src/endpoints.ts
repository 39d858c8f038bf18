import { around } from './endpoints/around.ts'
import { collections } from './endpoints/collections.ts'
import { desk } from './endpoints/desk.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { secrets } from './endpoints/secrets.ts'
import { sessions } from './endpoints/sessions.ts'
import { setup } from './endpoints/setup.ts'
import { sync } from './endpoints/sync.ts'

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
