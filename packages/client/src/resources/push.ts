import { Ok } from '@farhand/protocol/schemas/api'
import { type NewPushSubscription, PushKey, PushSubscribed } from '@farhand/protocol/schemas/push'
import { paths } from '@farhand/protocol/wire/routes'
import { type CallOptions, call } from '../requests/call.ts'
import { type Hub, jsonRequest } from '../requests/hub.ts'

/** The key with which a browser subscribes to notifications; it stays the same as long as the hub keeps its data. */
export const pushKey = async (hub: Hub, options?: CallOptions): Promise<string> =>
  (await call(hub, { path: paths.pushKey() }, PushKey, options)).publicKey

/** Has this browser notified; the answer has the id with which that is ended. Calling it twice is the same as once. */
export function subscribePush(
  hub: Hub,
  subscription: NewPushSubscription,
  options?: CallOptions,
): Promise<PushSubscribed> {
  return call(hub, jsonRequest('POST', paths.pushSubscriptions(), subscription), PushSubscribed, options)
}

/** Ends the notifications of this browser. */
export async function unsubscribePush(hub: Hub, id: string, options?: CallOptions): Promise<void> {
  await call(hub, { method: 'DELETE', path: paths.pushSubscription(id) }, Ok, options)
}
