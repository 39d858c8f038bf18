import type { NewPushSubscription } from '@farhand/protocol/schemas/push'
import { sessionKeyHeader } from '@farhand/protocol/wire/session-key'
import { sessionKeyForWorker } from '../early-requests/session-key.ts'

/**
 * The push service replaced a subscription by itself: send the new one to the hub, or no notification would arrive
 * any more.
 */
export async function resubscribe(push: PushManager, old: PushSubscription | null): Promise<void> {
  const key = old?.options.applicationServerKey
  if (!key) return
  const { endpoint, keys } = (
    await push.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  ).toJSON()
  const body = { endpoint, keys } as NewPushSubscription
  const sessionKey = await sessionKeyForWorker()
  await fetch('/api/push/subscriptions', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(sessionKey !== null && { [sessionKeyHeader]: sessionKey }),
    },
    body: JSON.stringify(body),
  })
}
