import { Ok } from '../schemas/api.ts'
import { NewPushSubscription, PushKey, PushSubscribed } from '../schemas/push.ts'
import { paths, type RunAddress } from '../wire/routes.ts'
import { type Endpoint, json, template } from './endpoint.ts'

/** How a browser gets notifications of runs (W49). */
export const push = {
  getPushKey: {
    method: 'GET',
    path: paths.pushKey(),
    summary: 'The key with which a browser subscribes to notifications (W49)',
    who: 'user',
    answers: { 200: { says: 'The same key for all browsers', bodies: json(PushKey) } },
  },
  postPushSubscription: {
    method: 'POST',
    path: paths.pushSubscriptions(),
    summary:
      'Subscribe a browser to notifications; the same subscription again replaces the one before (W49)',
    who: 'user',
    body: json(NewPushSubscription),
    answers: { 201: { says: 'Subscribed', bodies: json(PushSubscribed) } },
    faults: ['request.too-large', 'request.unsupported-type'],
  },
  deletePushSubscription: {
    method: 'DELETE',
    path: template((_: RunAddress) => paths.pushSubscription('{id}')),
    summary: 'End the notifications of a browser; an unknown id is no error (W49)',
    who: 'user',
    answers: { 200: { says: 'Unsubscribed', bodies: json(Ok) } },
  },
} as const satisfies Record<string, Endpoint>
