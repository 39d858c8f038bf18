import { RunView } from '@farhand/protocol/run-view'
import { z } from 'zod'
import { foldFingerprint } from './fold-fingerprint.ts'
import type { LogState } from './log-state.ts'

/** The state of a log up to byte `bytes`, where the line that begins at `lastLineAt` ends. */
export type Snapshot = { state: LogState; bytes: number; lastLineAt: number }

const whole = z.number().int().nonnegative()
const HeadFile = z.object({
  fold: z.string(),
  lastId: whole,
  bytes: whole,
  lastLineAt: whole,
  timeMs: whole,
  view: RunView,
  producers: z.array(
    z.tuple([
      z.string(),
      z.object({
        epoch: whole,
        nextSeq: whole,
        spans: z.array(z.object({ seq: whole, id: whole, count: whole })),
      }),
    ]),
  ),
  keys: z.array(z.tuple([z.string(), z.object({ id: whole, body: z.string() })])),
})

const fold = foldFingerprint()

export function encodeHead({ state, bytes, lastLineAt }: Snapshot): Buffer {
  const { lastId, timeMs, view, producers, keys } = state
  const file: z.infer<typeof HeadFile> = {
    fold,
    lastId,
    bytes,
    lastLineAt,
    timeMs,
    view,
    producers: [...producers],
    keys: [...keys],
  }
  return Buffer.from(JSON.stringify(file))
}

/** The snapshot in these bytes, or null if they are damaged or of another fold: the log itself knows everything. */
export function decodeHead(file: Buffer): Snapshot | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(file.toString())
  } catch {
    return null
  }
  const head = HeadFile.safeParse(parsed)
  if (!head.success || head.data.fold !== fold) return null
  const { lastId, timeMs, view, producers, keys, bytes, lastLineAt } = head.data
  const state = { lastId, timeMs, view, producers: new Map(producers), keys: new Map(keys) }
  return { state, bytes, lastLineAt }
}
