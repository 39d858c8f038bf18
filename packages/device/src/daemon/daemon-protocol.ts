import path from 'node:path'
import { z } from 'zod'

/** Increased when an older side would misunderstand a change. */
export const daemonProtocolVersion = 1

/** A command's request to the daemon: report its state, check the links now, or end. */
export const DaemonRequest = z.looseObject({ v: z.number(), ask: z.enum(['hello', 'look', 'stop']) })
export type DaemonRequest = z.infer<typeof DaemonRequest>

export const DaemonAnswer = z.looseObject({
  v: z.number(),
  pid: z.number(),
  version: z.string(),
  since: z.number(),
  deaths: z.record(z.string(), z.object({ count: z.number(), at: z.number(), nextAt: z.number() })),
})

/** The daemon's state. */
export type DaemonAnswer = z.infer<typeof DaemonAnswer>

/** The daemon's folder in the state folder. */
export const daemonFolder = (state: string) => path.join(path.resolve(state), 'daemon')

/** The file with the path of the daemon's socket. */
export const daemonSocketFile = (state: string) => path.join(daemonFolder(state), 'at')
