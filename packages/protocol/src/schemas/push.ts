import { z } from 'zod'
import { RunId, ScheduleId } from '../wire/ids.ts'

/** The key with which a browser subscribes, so that its push service accepts messages from this hub. */
export const PushKey = z.object({ publicKey: z.string() })
export type PushKey = z.infer<typeof PushKey>

const Base64Url = z.string().regex(/^[\w-]{1,200}={0,2}$/)

/** The subscription of a browser. */
export const NewPushSubscription = z.object({
  endpoint: z.url().max(2000),
  keys: z.object({ p256dh: Base64Url, auth: Base64Url }),
})
export type NewPushSubscription = z.infer<typeof NewPushSubscription>

export const PushSubscribed = z.object({ id: z.string() })
export type PushSubscribed = z.infer<typeof PushSubscribed>

/** Why a user is notified of a run. */
export const RunNotificationKind = z.enum(['needs-you', 'done', 'failed'])
export type RunNotificationKind = z.infer<typeof RunNotificationKind>

/** What a service worker gets (W49): little, because a locked screen shows it. */
export const RunNotification = z.object({
  kind: RunNotificationKind,
  run: RunId,
  title: z.string(),
  projectName: z.string(),
  /** The event that it is about: the browser shows two messages about the same event as one notification. */
  eventId: z.number().int().nonnegative(),
})
export type RunNotification = z.infer<typeof RunNotification>

/** What a service worker gets when a schedule could not start a run, or was paused after failures (W97). */
export const ScheduleNotification = z.object({
  kind: z.enum(['schedule-missed', 'schedule-paused']),
  schedule: ScheduleId,
  title: z.string(),
  projectName: z.string(),
})
export type ScheduleNotification = z.infer<typeof ScheduleNotification>
