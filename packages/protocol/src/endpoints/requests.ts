import { z } from 'zod'
import { FrameFromDevice, FrameToDevice } from '../schemas/device-frames.ts'
import { DeviceRequest, NewRequest, RequestPage } from '../schemas/requests.ts'
import type { RequestId } from '../wire/ids.ts'
import { paths } from '../wire/routes.ts'
import { type Endpoint, json } from './endpoint.ts'
import { IdempotencyHeader } from './headers.ts'

const id = '{request}' as RequestId
const one = { 200: { says: 'The request', bodies: json(DeviceRequest) } }

/** Requests that a device of the user or a sandbox answers, and the socket of a device (W100 to W109). */
export const requests = {
  postRequest: {
    method: 'POST',
    path: paths.requests(),
    summary: "Route a message to the user's device, to a sandbox, or into the queue (W103)",
    who: 'user',
    headers: IdempotencyHeader,
    body: json(NewRequest),
    answers: { 201: { says: 'The request, routed', bodies: json(DeviceRequest) } },
    faults: ['key.reused', 'run.unknown', 'run.closed', 'run.overfull', 'acp.request-refused'],
  },
  getRequests: {
    method: 'GET',
    path: paths.requests(),
    summary: 'The requests of this user, and their devices that are connected now (W107)',
    who: 'user',
    query: z.object({ cursor: z.string().optional().describe('The `next` of the page before.') }),
    answers: { 200: { says: '50 a page', bodies: json(RequestPage) } },
  },
  getRequest: {
    method: 'GET',
    path: paths.request(id),
    summary: 'One request (W107)',
    who: 'user',
    answers: one,
    faults: ['acp.request-unknown'],
  },
  acceptRequest: {
    method: 'POST',
    path: paths.acceptRequest(id),
    summary: 'Say yes to a request that was offered: it is queued for a device (W106)',
    who: 'user',
    answers: one,
    faults: ['acp.request-unknown', 'acp.request-settled'],
  },
  cancelRequest: {
    method: 'POST',
    path: paths.cancelRequest(id),
    summary: 'Cancel a request that has not ended (W107)',
    who: 'user',
    answers: one,
    faults: ['acp.request-unknown', 'acp.request-settled'],
  },
  getDeviceSocket: {
    method: 'GET',
    path: paths.deviceSocket(),
    summary: 'Connect a device with a WebSocket, which carries frames in both directions (W100)',
    who: 'user',
    answers: {
      101: {
        says: 'A WebSocket. Its messages are frames: of the first schema from the hub, of the second from the device',
        bodies: { 'text/frames-to-device': FrameToDevice, 'text/frames-from-device': FrameFromDevice },
      },
    },
    faults: ['hub.busy', 'acp.too-fast'],
  },
} as const satisfies Record<string, Endpoint>
