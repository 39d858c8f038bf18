import { z } from 'zod'
import { DeviceId, ProjectId, RequestId, RunId, TaskId, UserId } from '../wire/ids.ts'
import { pageOf } from './api.ts'

const Time = z.iso.datetime()

/** What the user is told when a request finds no computer of theirs; seed 004 fixes the words. */
export const computerIsOff =
  "Your computer is not on right now. I'll do what I can — want me to queue the rest for when you're back online?"

/** How long a request waits for a device. */
export const requestDays = 7

export const mostRequestText = 100_000

/**
 * `routed`: decided, and not in the log of its run yet. `offered`: waits for the user's yes. `queued`: waits for a device.
 * `sent`: given to a device, which has not confirmed it. The last four are final.
 */
export const RequestState = z.enum([
  'routed',
  'offered',
  'queued',
  'sent',
  'working',
  'done',
  'failed',
  'expired',
  'canceled',
])
export type RequestState = z.infer<typeof RequestState>

/** Where a message came in, as its channel calls itself: `web`, `cli`, `wechat`. */
export const ChannelName = z.string().regex(/^[\w.-]{1,50}$/, 'expected 1 to 50 letters, digits, . _ or -')

/** `conversation` is the run of an earlier request. `origin_device` has delegated this: it never gets it back. */
export const NewRequest = z.object({
  message: z
    .string()
    .max(mostRequestText)
    .refine((text) => text.trim() !== '', 'expected text'),
  channel: ChannelName.optional(),
  device: DeviceId.optional(),
  conversation: RunId.optional(),
  needs_device: z.boolean().optional(),
  origin_device: DeviceId.optional(),
  /** The agent if a sandbox answers; a device answers with its own. */
  agent: z.string().min(1).max(100).optional(),
})
export type NewRequest = z.infer<typeof NewRequest>

export const RequestStep = z.object({ state: RequestState, at: Time, reason: z.string() })
export type RequestStep = z.infer<typeof RequestStep>

/** A request and its fate. Its run has everything that was said and done. */
export const DeviceRequest = z.object({
  id: RequestId,
  user_id: UserId,
  project: ProjectId,
  task: TaskId,
  run: RunId,
  message: z.string(),
  channel: z.string(),
  state: RequestState,
  /** Where it was routed to. */
  decided: z.enum(['device', 'cloud', 'queue']),
  /** The device that has it or that it waits for; null: a sandbox has it, or it waits for whichever comes first. */
  device: DeviceId.nullable(),
  origin_device: DeviceId.nullable(),
  needs_device: z.boolean(),
  /** The request whose answer offered this one. */
  part_of: RequestId.nullable(),
  /** What the user was told when it was routed; null: there was nothing to tell. */
  notice: z.string().nullable(),
  created_at: Time,
  /** Until when it waits for a device; null: it never had to. */
  expires_at: Time.nullable(),
  /** Every state that it had, the oldest first. */
  states: z.array(RequestStep),
})
export type DeviceRequest = z.infer<typeof DeviceRequest>

/** A device that is connected now. */
export const OnlineDevice = z.object({ device: DeviceId, since: Time })
export type OnlineDevice = z.infer<typeof OnlineDevice>

/** The newest first; `online` are the devices of the user that are connected now. */
export const RequestPage = pageOf(DeviceRequest).extend({ online: z.array(OnlineDevice) })
export type RequestPage = z.infer<typeof RequestPage>
