import { Ok, type RunLooking, type RunSeen } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { type CallOptions, call } from '../requests/call.ts'
import { type Hub, jsonRequest } from '../requests/hub.ts'

/** Gives a run another title; its task keeps its name. */
export const renameRun = (hub: Hub, run: RunId, title: string, options?: CallOptions) =>
  put(hub, paths.runTitle(run), { title }, options)

/** Archives a run, or takes that back. The run itself goes on as before. */
export const archiveRun = (hub: Hub, run: RunId, isArchived: boolean, options?: CallOptions) =>
  put(hub, paths.runArchived(run), { isArchived }, options)

/** Turns the notifications of a run off, or on again. */
export const muteRun = (hub: Hub, run: RunId, isMuted: boolean, options?: CallOptions) =>
  put(hub, paths.runMuted(run), { isMuted }, options)

/** Stores how far this user has read a run, for all of their devices (W56). */
export const seeRun = (hub: Hub, run: RunId, seen: RunSeen, options?: CallOptions) =>
  put(hub, paths.runSeen(run), seen, options)

/** Tells the hub whether the user has the run on their screen. The hub believes it for a minute: repeat it while it is so. */
export const lookAtRun = (hub: Hub, run: RunId, looking: RunLooking, options?: CallOptions) =>
  put(hub, paths.runLooking(run), looking, options)

async function put(hub: Hub, path: string, body: unknown, options?: CallOptions): Promise<void> {
  await call(hub, jsonRequest('PUT', path, body), Ok, options)
}
