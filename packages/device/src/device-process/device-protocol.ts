import { DeviceId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { z } from 'zod'

/**
 * Increased when an older side would misunderstand a change. Programs with version 1 know only hello, look and stop; their
 * device process was a daemon that restarted a process for each folder.
 */
export const deviceProtocolVersion = 2

const folder = z.string()
const at = z.object({ project: ProjectId, task: TaskId, run: RunId })

/** The run that a folder is linked to, and the token for its hub; a folder that is linked already needs neither. */
export const LinkedRun = z.object({ url: z.string(), token: z.string(), at })
export type LinkedRun = z.infer<typeof LinkedRun>

const words = z.array(z.string())

/**
 * A request to the device process: one line of JSON on a connection of its own. What is wanted of a folder is on disk
 * before any of them is sent.
 */
export const DeviceRequest = z.discriminatedUnion('ask', [
  /** Who answers? */
  z.looseObject({ v: z.number(), ask: z.literal('hello') }),
  /** Compare all folders with what is wanted on disk. */
  z.looseObject({ v: z.number(), ask: z.literal('look') }),
  z.looseObject({ v: z.number(), ask: z.literal('stop') }),
  /** Link a folder that is wanted live, and report about it until it ends; `once` are flags for this start only. */
  z.looseObject({ v: z.number(), ask: z.literal('link'), folder, run: LinkedRun, once: words }),
  /** Report about a folder until it ends. */
  z.looseObject({ v: z.number(), ask: z.literal('follow'), folder }),
  /** Answer once nothing keeps a folder in sync that is not wanted any more. */
  z.looseObject({ v: z.number(), ask: z.literal('settle'), folder }),
  /** Report the status of all folders, now and whenever one changes. */
  z.looseObject({ v: z.number(), ask: z.literal('watch') }),
])
export type DeviceRequest = z.infer<typeof DeviceRequest>

const Deaths = z.object({ count: z.number(), at: z.number(), nextAt: z.number() })

/** The answer to hello, look, stop and settle. */
export const DeviceAnswer = z.looseObject({
  v: z.number(),
  pid: z.number(),
  version: z.string(),
  since: z.number(),
  /** The folders whose thread has died unexpectedly, and when each is started again. */
  deaths: z.record(z.string(), Deaths),
})
export type DeviceAnswer = z.infer<typeof DeviceAnswer>

/** Why a folder is no longer kept in sync. `exit` is the exit code that a command ends with. */
export const LinkEnd = z.discriminatedUnion('is', [
  z.object({ is: z.literal('run-closed') }),
  z.object({ is: z.literal('paused') }),
  z.object({ is: z.literal('failed'), exit: z.string(), message: z.string(), nextStep: z.string() }),
])
export type LinkEnd = z.infer<typeof LinkEnd>

/** What happens to one folder, for the command that links or follows it. */
export const LinkEvent = z.discriminatedUnion('is', [
  /** The folder is taken; `device` is the author as which it writes. */
  z.object({ is: z.literal('linked'), device: DeviceId }),
  z.object({ is: z.literal('progress'), sent: z.number(), toSend: z.number() }),
  /** Folder and run are the same for the first time. */
  z.object({ is: z.literal('in-step'), files: z.number() }),
  z.object({ is: z.literal('ended'), end: LinkEnd }),
])
export type LinkEvent = z.infer<typeof LinkEvent>

export const LinkStatus = z.object({
  pid: z.number(),
  version: z.string(),
  url: z.string(),
  isKept: z.boolean(),
  since: z.number(),
  doing: z.discriminatedUnion('is', [
    z.object({ is: z.literal('starting') }),
    z.object({ is: z.literal('in-step'), files: z.number() }),
    z.object({ is: z.literal('busy'), toSend: z.number(), toApply: z.number() }),
    z.object({ is: z.literal('offline'), why: z.string() }),
  ]),
  /** Files that are not synced although no rule excludes them; only the first ones. Older versions write none. */
  skipped: z
    .object({ count: z.number(), some: z.array(z.object({ path: z.string(), why: z.string() })) })
    .optional(),
})

/** The status of a link, and since when. */
export type LinkStatus = z.infer<typeof LinkStatus>

/** The status of one folder; null if no thread of this process keeps it in sync. */
export const FolderEvent = z.object({ is: z.literal('folder'), folder, status: LinkStatus.nullable() })
export type FolderEvent = z.infer<typeof FolderEvent>

/** All folders that the process keeps in sync; the first event for a command that watches. */
export const WatchEvent = z.discriminatedUnion('is', [
  z.object({ is: z.literal('folders'), folders: z.record(z.string(), LinkStatus) }),
  FolderEvent,
])
export type WatchEvent = z.infer<typeof WatchEvent>
