import { z } from 'zod'
import { RunId } from '../wire/ids.ts'

/** With what a browser has to subscribe, so that its push service takes messages from this hub. */
export const PushKey = z.object({ publicKey: z.string() })
export type PushKey = z.infer<typeof PushKey>

const Base64Url = z.string().regex(/^[\w-]{1,200}={0,2}$/)

/** What a browser says of its subscription. */
export const NewPushSubscription = z.object({
  endpoint: z.url().max(2000),
  keys: z.object({ p256dh: Base64Url, auth: Base64Url }),
})
export type NewPushSubscription = z.infer<typeof NewPushSubscription>

export const PushSubscribed = z.object({ id: z.string() })
export type PushSubscribed = z.infer<typeof PushSubscribed>

/** What there is to tell of a run. */
export const RunNotificationKind = z.enum(['needs-you', 'done', 'failed'])
export type RunNotificationKind = z.infer<typeof RunNotificationKind>

/** What a service worker gets (W49): little, because it stands on a locked screen. */
export const RunNotification = z.object({
  kind: RunNotificationKind,
  run: RunId,
  title: z.string(),
  projectName: z.string(),
  /** The event that it is about: the same one told twice is one notification. */
  eventId: z.number().int().nonnegative(),
})
export type RunNotification = z.infer<typeof RunNotification>
