import { AgentsHere } from '@farhand/protocol/schemas/available-agents'
import { Ok, type RunLooking, type RunSeen } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'
import { type NewPushSubscription, PushKey, PushSubscribed } from '@farhand/protocol/schemas/push'
import { paths } from '@farhand/protocol/wire/routes'
import { type CallOptions, call } from '../requests/call.ts'
import type { Hub } from '../requests/hub.ts'

/** Calls a run something else; its task keeps its name. */
export const renameRun = (hub: Hub, run: RunId, title: string, options?: CallOptions) =>
  put(hub, paths.runTitle(run), { title }, options)

/** Puts a run away, or back among the others. It goes on as before. */
export const archiveRun = (hub: Hub, run: RunId, isArchived: boolean, options?: CallOptions) =>
  put(hub, paths.runArchived(run), { isArchived }, options)

/** Has nothing told of a run, or everything again. */
export const muteRun = (hub: Hub, run: RunId, isMuted: boolean, options?: CallOptions) =>
  put(hub, paths.runMuted(run), { isMuted }, options)

/** Says how far this user has read a run, for all of their devices (W56). */
export const seeRun = (hub: Hub, run: RunId, seen: RunSeen, options?: CallOptions) =>
  put(hub, paths.runSeen(run), seen, options)

/** Says whether a person has the run before their eyes. Believed for a minute: say it again while it is so. */
export const lookAtRun = (hub: Hub, run: RunId, looking: RunLooking, options?: CallOptions) =>
  put(hub, paths.runLooking(run), looking, options)

/** The agents and the kinds of sandbox that runs can have at this hub. */
export const listAgents = (hub: Hub, options?: CallOptions): Promise<AgentsHere> =>
  call(hub, { path: paths.agents() }, AgentsHere, options)

/** The key with which a browser subscribes; it stays the same as long as the hub keeps its data. */
export const pushKey = async (hub: Hub, options?: CallOptions): Promise<string> =>
  (await call(hub, { path: paths.pushKey() }, PushKey, options)).publicKey

/** Has this browser told, and says by which id that is ended. To say it twice is the same as once. */
export function subscribePush(
  hub: Hub,
  subscription: NewPushSubscription,
  options?: CallOptions,
): Promise<PushSubscribed> {
  const path = paths.pushSubscriptions()
  return call(hub, { method: 'POST', path, ...json(subscription) }, PushSubscribed, options)
}

/** Has this browser told no longer. */
export async function unsubscribePush(hub: Hub, id: string, options?: CallOptions): Promise<void> {
  await call(hub, { method: 'DELETE', path: paths.pushSubscription(id) }, Ok, options)
}

const json = (body: unknown) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

async function put(hub: Hub, path: string, body: unknown, options?: CallOptions): Promise<void> {
  await call(hub, { method: 'PUT', path, ...json(body) }, Ok, options)
}
