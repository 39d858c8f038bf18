import { z } from 'zod'
import { ProjectId, RequestId, RunId, TaskId, UserId } from '../wire/ids.ts'

/** How often the hub asks a device for a sign of life, and after how many unanswered ones the device counts as offline. */
export const heartbeatMs = 30_000
export const mostMissedBeats = 2

/** What one device may send (W102). A malformed frame is answered; after this many the socket is closed. */
export const frameLimits = {
  bytes: 256 * 1024,
  perSecond: 20,
  burst: 200,
  malformed: 5,
} as const

/** Numbered from 1 on each socket, by each side for itself. */
const seq = z.number().int().nonnegative()
const frame = <Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  z.looseObject({ type: z.literal(type), seq, data })

const nothing = z.looseObject({}).default({})
const ping = frame('acp_ping', nothing)
const pong = frame('acp_pong', nothing)
const text = z.string().max(200_000)

export const RequestProgress = z.looseObject({
  request_id: RequestId,
  text: text.optional(),
  phase: z.string().max(200).optional(),
  completed: z.number().nonnegative().optional(),
  total: z.number().nonnegative().optional(),
  current: z.string().max(1000).optional(),
})
export type RequestProgress = z.infer<typeof RequestProgress>

export const ReplyResult = z.union([text, z.looseObject({ text: text.optional() })])
export const ReplyError = z.union([text, z.looseObject({ message: text })])

/** Exactly one of both. */
export const RequestReply = z
  .looseObject({ request_id: RequestId, result: ReplyResult.optional(), error: ReplyError.optional() })
  .refine((reply) => (reply.result === undefined) !== (reply.error === undefined), {
    path: ['result'],
    message: 'expected either a result or an error',
  })
export type RequestReply = z.infer<typeof RequestReply>

/** `acp_ack`: the device has noted the request durably. */
export const FrameFromDevice = z.discriminatedUnion('type', [
  frame('acp_ack', z.looseObject({ request_id: RequestId })),
  frame('acp_progress', RequestProgress),
  frame('acp_reply', RequestReply),
  ping,
  pong,
])
export type FrameFromDevice = z.infer<typeof FrameFromDevice>

/** `run` is the address of the run: a device that drives runners answers in its log. */
export const AcpRequest = z.looseObject({
  request_id: RequestId,
  message: z.string(),
  channel: z.string(),
  user_id: UserId,
  run: z.object({ project: ProjectId, task: TaskId, run: RunId }).optional(),
})
export type AcpRequest = z.infer<typeof AcpRequest>

/** `acp_ack`: the hub has stored the reply. `acp_cancel`: the request is not to be done any more. */
export const FrameToDevice = z.discriminatedUnion('type', [
  frame('acp_request', AcpRequest),
  frame('acp_ack', z.looseObject({ request_id: RequestId })),
  frame('acp_cancel', z.looseObject({ request_id: RequestId, reason: z.string() })),
  frame(
    'acp_error',
    z.looseObject({ code: z.string(), message: z.string(), request_id: z.string().optional() }),
  ),
  ping,
  pong,
])
export type FrameToDevice = z.infer<typeof FrameToDevice>
