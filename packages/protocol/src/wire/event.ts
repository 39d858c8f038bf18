import { z } from 'zod'

/** A JSON-RPC 2.0 notification: the content of an event. */
export const Notification = z.object({
  jsonrpc: z.literal('2.0'),
  method: z.string().min(1).max(200),
  params: z.record(z.string(), z.unknown()).optional(),
})
export type Notification = z.infer<typeof Notification>

/** The member that every message of JSON-RPC has. */
export const jsonRpc = { jsonrpc: '2.0' } as const

/** A notification of any method. For Farhand's own events use `event`, which knows their params. */
export const notification = <Method extends string, Params extends object>(
  method: Method,
  params: Params,
) => ({ ...jsonRpc, method, params })

/** The writer of an event. There is one runner per generation. */
export const Author = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('runner'), generation: z.number().int().positive() }),
  z.object({ kind: z.literal('device'), id: z.string() }),
  z.object({ kind: z.literal('web'), id: z.string() }),
  z.object({ kind: z.literal('channel'), id: z.string() }),
  z.object({ kind: z.literal('hub') }),
])
export type Author = z.infer<typeof Author>

/** Which event of an idempotent producer this is (W7). */
export const ProducerStamp = z.object({
  id: z.string().min(1).max(100),
  epoch: z.number().int().nonnegative(),
  seq: z.number().int().nonnegative(),
})
export type ProducerStamp = z.infer<typeof ProducerStamp>

/** The Idempotency-Key an event arrived with, and the digest of the body it came with (W9). */
export const KeyStamp = z.object({ key: z.string().min(1).max(200), body: z.string() })
export type KeyStamp = z.infer<typeof KeyStamp>

/** One line of a log, as stored and as served (W4). */
export const StoredEvent = z.object({
  id: z.number().int().positive(),
  type: z.literal('notification'),
  timestamp: z.iso.datetime(),
  notification: Notification,
  by: Author,
  producer: ProducerStamp.optional(),
  key: KeyStamp.optional(),
  /** The life of the device that wrote it, if the device sent one (W34). */
  life: z.number().int().nonnegative().optional(),
})
export type StoredEvent = z.infer<typeof StoredEvent>
