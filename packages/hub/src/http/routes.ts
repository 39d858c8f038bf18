import { type Endpoint, rightOf } from '@farhand/protocol/endpoints/endpoint'
import { type EndpointName, endpoints } from '@farhand/protocol/endpoints/endpoints'
import type { Right } from '@farhand/protocol/wire/project-role'
import { getDeviceSocket } from './collab/device-socket.ts'
import * as requests from './collab/requests.ts'
import * as changeDelegated from './delegated/change-delegated.ts'
import * as delegated from './delegated/delegated-tasks.ts'
import type { Exchange, Handler } from './exchange/exchange.ts'
import * as accounts from './handlers/account/accounts.ts'
import * as acpAuth from './handlers/account/acp-auth.ts'
import * as collections from './handlers/collections.ts'
import * as files from './handlers/files.ts'
import { getLog } from './handlers/get-log.ts'
import { getSync } from './handlers/get-sync.ts'
import { getPage, getWebFile, webPaths } from './handlers/get-web.ts'
import * as pages from './handlers/hub-info.ts'
import * as patches from './handlers/patches.ts'
import { postSync } from './handlers/post-sync.ts'
import { getRunChanges } from './handlers/run-changes.ts'
import * as desk from './handlers/run-preferences.ts'
import * as runState from './handlers/run-state.ts'
import * as schedules from './handlers/schedules.ts'
import * as secrets from './handlers/secrets.ts'
import * as sessions from './handlers/sessions.ts'
import * as setupCaches from './handlers/setup-caches.ts'
import * as invitations from './handlers/sharing/invitations.ts'
import * as projectMembers from './handlers/sharing/project-members.ts'
import * as runLinks from './handlers/sharing/run-links.ts'
import type { HubParts } from './hub-parts/hub-parts.ts'

type Answer = (parts: HubParts, exchange: Exchange) => Promise<void> | void

/** The handler of each endpoint. */
const answers: Record<EndpointName, Answer> = {
  ...accounts,
  ...acpAuth,
  ...collections,
  ...delegated,
  ...changeDelegated,
  ...desk,
  getRunChanges,
  ...files,
  ...pages,
  ...patches,
  ...requests,
  getDeviceSocket,
  ...runState,
  ...schedules,
  ...secrets,
  ...sessions,
  ...setupCaches,
  ...projectMembers,
  ...invitations,
  ...runLinks,
  getLog,
  getSync,
  postSync,
}

/** Working agents call these thousands of times a second: only failures are logged. */
const busy: readonly string[] = [
  'postSync',
  'postBlobs',
  'putFile',
  'getFile',
  'putRunFile',
  'getRunFile',
] satisfies EndpointName[]

export type Route = Pick<Endpoint, 'method' | 'path' | 'who'> & {
  needs: Right
  guests: boolean
  busy: boolean
  handler: Handler
}

const noRights = { needs: 'view', guests: false } as const

/** Every path of the hub, in the router's notation, with its handler. */
export function routes(parts: HubParts): Route[] {
  const ofWeb = webPaths.map(
    (path): Route => ({
      method: 'GET',
      path,
      who: 'anyone',
      ...noRights,
      busy: false,
      handler: (exchange) => getPage(parts, exchange),
    }),
  )
  const described = Object.entries<Endpoint>(endpoints).map(([name, endpoint]): Route => {
    const { method, path, who, guests = false } = endpoint
    const answer = answers[name as EndpointName]
    return {
      method,
      path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      who,
      guests,
      needs: rightOf(endpoint),
      busy: busy.includes(name),
      handler: (exchange) => answer(parts, exchange),
    }
  })
  return [...ofWeb, ...described]
}

/** The route for all other paths, which may be files of the web app. */
export const webFileRoute = (parts: HubParts): Route => ({
  method: 'GET',
  path: '/assets',
  who: 'anyone',
  ...noRights,
  busy: false,
  handler: (exchange) => getWebFile(parts, exchange),
})
