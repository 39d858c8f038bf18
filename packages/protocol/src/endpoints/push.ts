import { Ok } from '../schemas/api.ts'
import { NewPushSubscription, PushKey, PushSubscribed } from '../schemas/push.ts'
import { paths, type RunAddress } from '../wire/routes.ts'
import { type Endpoint, json, template } from './endpoint.ts'

/** How a browser gets notifications of runs (W49). */
export const push = {
  getPushKey: {
    method: 'GET',
    path: paths.pushKey(),
    summary: 'The key with which a browser subscribes to what there is to tell (W49)',
    who: 'user',
    answers: { 200: { says: 'The same for all', bodies: json(PushKey) } },
  },
  postPushSubscription: {
    method: 'POST',
    path: paths.pushSubscriptions(),
    summary: 'Have this browser told; the same subscription again takes the place of the one before (W49)',
    who: 'user',
    body: json(NewPushSubscription),
    answers: { 201: { says: 'It is told from now on', bodies: json(PushSubscribed) } },
    faults: ['request.too-large', 'request.unsupported-type'],
  },
  deletePushSubscription: {
    method: 'DELETE',
    path: template((_: RunAddress) => paths.pushSubscription('{id}')),
    summary: 'Have this browser told no longer; one that is not there is no error (W49)',
    who: 'user',
    answers: { 200: { says: 'It is told nothing', bodies: json(Ok) } },
  },
} as const satisfies Record<string, Endpoint>
