import { createHash } from 'node:crypto'
import { sleep } from '@farhand/kit/sleep'
import { within } from '@farhand/kit/within'
import type { RunNotification, ScheduleNotification } from '@farhand/protocol/schemas/push'
import type { UserId } from '@farhand/protocol/wire/ids'
import type { Logger } from 'pino'
import {
  type PushSubscription,
  pushSubscriptionsOf,
  removePushSubscription,
} from '../store/push-subscriptions.ts'
import type { Db } from '../store/tables.ts'
import { AddressRefused, type Answered, outboundPost } from './outbound-post.ts'
import type { PushKeys } from './push-keys.ts'

type Telling = RunNotification | ScheduleNotification

type WebPushParts = {
  db: Db
  keys: PushKeys
  logger: Logger
  /** Contact for push services: the hub's public URL, if it has one. */
  publicUrl?: string | undefined
  allowPrivate: boolean
  /** How long to wait before each further try; it is given up after the last. */
  pausesMs?: readonly number[]
}

/** How long a push service keeps it for a phone that is off. */
const keptSeconds = 24 * 3600
/** How long a hub that stops waits for push services. */
const lastMs = 3000

/** Sends notifications to users' browsers through push services, which learn neither the content nor the run. */
export class WebPush {
  readonly #parts: WebPushParts
  /** Aborted when the hub stops: pauses between tries end, and each delivery has one more try. */
  readonly #ending = new AbortController()
  readonly #stopped = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(parts: WebPushParts) {
    this.#parts = parts
  }

  get publicKey(): string {
    return this.#parts.keys.publicKey
  }

  /** Resolves when delivery to every browser of the user has succeeded or was given up. */
  async tell(user: UserId, telling: Telling): Promise<void> {
    const under = this.#tellAll(user, telling)
    this.#underWay.add(under)
    await under.finally(() => this.#underWay.delete(under))
  }

  /** Waits a moment for deliveries in progress: they are recorded as sent, so the next hub does not repeat them. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await within(lastMs, Promise.allSettled(this.#underWay))
    this.#stopped.abort()
  }

  async #tellAll(user: UserId, telling: Telling): Promise<void> {
    const all = await pushSubscriptionsOf(this.#parts.db, user)
    await Promise.all(all.map((one) => this.#tellOne(user, one, telling)))
  }

  async #tellOne(user: UserId, subscription: PushSubscription, telling: Telling): Promise<void> {
    const { pausesMs = [2_000, 10_000, 60_000], logger, db } = this.#parts
    for (const pauseMs of [...pausesMs, null]) {
      const isLast = pauseMs === null || this.#ending.signal.aborted
      const answered = await this.#send(subscription, telling).catch((error: unknown) => error as Error)
      if (this.#stopped.signal.aborted) return
      if (answered instanceof AddressRefused)
        return void logger.warn(
          { err: answered },
          'a push subscription has an address that this hub does not call',
        )
      if (!(answered instanceof Error)) {
        if (answered.status < 300) return
        // The browser has unsubscribed, or its permission was taken back.
        if (answered.status === 404 || answered.status === 410)
          return await removePushSubscription(db, user, subscription.id)
        if (answered.status < 500 && answered.status !== 429)
          return void logger.warn({ status: answered.status }, 'a push service refuses a notification')
      }
      if (isLast) return void logger.warn({ answered }, 'a push service could not be reached')
      const askedMs = answered instanceof Error ? 0 : Math.min(answered.retryAfterMs, 5 * 60_000)
      await sleep(Math.max(pauseMs, askedMs), { signal: this.#ending.signal }).catch(() => {})
      if (this.#stopped.signal.aborted) return
    }
  }

  async #send({ endpoint, keys }: PushSubscription, telling: Telling): Promise<Answered> {
    const { publicUrl, allowPrivate, keys: own } = this.#parts
    // Loaded at the first notification: most hubs never send one.
    const { default: webPush } = await import('web-push')
    const details = webPush.generateRequestDetails({ endpoint, keys }, JSON.stringify(telling), {
      TTL: keptSeconds,
      urgency: telling.kind === 'needs-you' ? 'high' : 'normal',
      topic: topicOf(telling),
      contentEncoding: 'aes128gcm',
      vapidDetails: {
        subject: publicUrl?.startsWith('https:') ? publicUrl : 'mailto:hub@farhand.invalid',
        ...own,
      },
    })
    const headers = Object.fromEntries(
      Object.entries(details.headers).map(([name, value]) => [name, String(value)]),
    )
    const call = { url: endpoint, headers, body: details.body ?? '' }
    return await outboundPost(call, { allowPrivate, signal: this.#stopped.signal })
  }
}

/** A phone that was off gets only the newest notification of one run, or schedule, and kind. Hashed, to hide the run from the push service. */
const topicOf = (telling: Telling) =>
  createHash('sha256')
    .update(`${'run' in telling ? telling.run : telling.schedule} ${telling.kind}`)
    .digest('base64url')
    .slice(0, 32)
