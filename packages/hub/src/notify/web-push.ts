import { createHash } from 'node:crypto'
import { sleep } from '@farhand/kit/sleep'
import type { RunNotification } from '@farhand/protocol/schemas/push'
import type { UserId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import {
  type PushSubscription,
  pushSubscriptionsOf,
  removePushSubscription,
} from '../store/push-subscriptions.ts'
import type { Tables } from '../store/tables.ts'
import { AddressRefused, type Answered, outboundPost } from './outbound-post.ts'
import type { PushKeys } from './push-keys.ts'

type WebPushParts = {
  db: Kysely<Tables>
  keys: PushKeys
  logger: Logger
  /** Who a push service may complain to: an address of the hub, if it has a public one. */
  publicUrl?: string | undefined
  allowPrivate: boolean
  /** How long to wait before each further try; it is given up after the last. */
  pausesMs?: readonly number[]
}

/** How long a push service keeps it for a phone that is off. */
const keptSeconds = 24 * 3600
/** How long a hub that stops waits for push services. */
const lastMs = 3000

/** Tells the browsers of users by their push services, which learn neither what nor of which run. */
export class WebPush {
  readonly #parts: WebPushParts
  /** From then on nothing waits for a better time: whoever fails has one more try. */
  readonly #ending = new AbortController()
  readonly #stopped = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(parts: WebPushParts) {
    this.#parts = parts
  }

  get publicKey(): string {
    return this.#parts.keys.publicKey
  }

  /** Resolves when every browser of the user has been told, or never will be. */
  async tell(user: UserId, telling: RunNotification): Promise<void> {
    const under = this.#tellAll(user, telling)
    this.#underWay.add(under)
    await under.finally(() => this.#underWay.delete(under))
  }

  /** What is noted as told is not told again by the next hub, so what is under way is given a moment. */
  async stop(): Promise<void> {
    this.#ending.abort()
    const done = new AbortController()
    const all = Promise.allSettled(this.#underWay).then(() => done.abort())
    await Promise.race([all, sleep(lastMs, { signal: done.signal }).catch(() => {})])
    this.#stopped.abort()
  }

  async #tellAll(user: UserId, telling: RunNotification): Promise<void> {
    const all = await pushSubscriptionsOf(this.#parts.db, user)
    await Promise.all(all.map((one) => this.#tellOne(user, one, telling)))
  }

  async #tellOne(user: UserId, subscription: PushSubscription, telling: RunNotification): Promise<void> {
    const { pausesMs = [2_000, 10_000, 60_000], logger, db } = this.#parts
    for (const pauseMs of [...pausesMs, null]) {
      const isLast = pauseMs === null || this.#ending.signal.aborted
      const answered = await this.#send(subscription, telling).catch((error: unknown) => error as Error)
      if (this.#stopped.signal.aborted) return
      if (answered instanceof AddressRefused)
        return void logger.warn({ err: answered }, 'nobody is told there')
      if (!(answered instanceof Error)) {
        if (answered.status < 300) return
        // The browser has unsubscribed, or its permission was taken back.
        if (answered.status === 404 || answered.status === 410)
          return await removePushSubscription(db, user, subscription.id)
        if (answered.status < 500 && answered.status !== 429)
          return void logger.warn({ status: answered.status }, 'a push service refuses what it is given')
      }
      if (isLast) return void logger.warn({ answered }, 'a push service could not be reached')
      const askedMs = answered instanceof Error ? 0 : Math.min(answered.retryAfterMs, 5 * 60_000)
      await sleep(Math.max(pauseMs, askedMs), { signal: this.#ending.signal }).catch(() => {})
      if (this.#stopped.signal.aborted) return
    }
  }

  async #send({ endpoint, keys }: PushSubscription, telling: RunNotification): Promise<Answered> {
    const { publicUrl, allowPrivate, keys: own } = this.#parts
    // Loaded when somebody is told for the first time: most hubs tell nobody.
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

/** Of one run and kind a phone that was off gets the newest only. It must not tell the push service which run that is. */
const topicOf = ({ run, kind }: RunNotification) =>
  createHash('sha256').update(`${run} ${kind}`).digest('base64url').slice(0, 32)
