import { RunView } from '@farhand/protocol/runs/run-view'
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
  lives: z.array(z.tuple([z.string(), whole])),
  forkedAt: whole,
})

const fold = foldFingerprint()

export function encodeHead({ state, bytes, lastLineAt }: Snapshot): Buffer {
  const { lastId, timeMs, view, producers, keys, lives, forkedAt } = state
  const file: z.infer<typeof HeadFile> = {
    fold,
    lastId,
    bytes,
    lastLineAt,
    timeMs,
    view,
    producers: [...producers],
    keys: [...keys],
    lives: [...lives],
    forkedAt,
  }
  return Buffer.from(JSON.stringify(file))
}

/** A saved head: how much of its log was durable then, and its snapshot, or null if another fold made it. */
export type SavedHead = { durableBytes: number; snapshot: Snapshot | null }

const AnyHeadFile = z.object({ bytes: whole })

/** The head in these bytes, or null if they are damaged: all else can be read from the log, except how long it was. */
export function decodeHead(file: Buffer): SavedHead | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(file.toString())
  } catch {
    return null
  }
  const any = AnyHeadFile.safeParse(parsed)
  if (!any.success) return null
  const durableBytes = any.data.bytes
  const head = HeadFile.safeParse(parsed)
  if (!head.success || head.data.fold !== fold) return { durableBytes, snapshot: null }
  const { lastId, timeMs, view, bytes, lastLineAt, forkedAt } = head.data
  const [producers, keys, lives] = [
    new Map(head.data.producers),
    new Map(head.data.keys),
    new Map(head.data.lives),
  ]
  const state = { lastId, timeMs, view, producers, keys, lives, forkedAt }
  return { durableBytes, snapshot: { state, bytes, lastLineAt } }
}
