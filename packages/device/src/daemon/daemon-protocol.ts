import path from 'node:path'
import { z } from 'zod'

/** Raised when what is said here changes so that an older side would misunderstand it. */
export const daemonProtocolVersion = 1

/** What a command asks of the daemon: how it is, to look now at what has changed, or to end. */
export const DaemonRequest = z.looseObject({ v: z.number(), ask: z.enum(['hello', 'look', 'stop']) })
export type DaemonRequest = z.infer<typeof DaemonRequest>

export const DaemonAnswer = z.looseObject({
  v: z.number(),
  pid: z.number(),
  version: z.string(),
  since: z.number(),
  deaths: z.record(z.string(), z.object({ count: z.number(), at: z.number(), nextAt: z.number() })),
})

/** What the daemon says of itself. */
export type DaemonAnswer = z.infer<typeof DaemonAnswer>

/** Everything of the daemon's that is in the state folder. */
export const daemonFolder = (state: string) => path.join(path.resolve(state), 'daemon')

/** The file that says where the daemon can be spoken to. */
export const daemonSocketFile = (state: string) => path.join(daemonFolder(state), 'at')
