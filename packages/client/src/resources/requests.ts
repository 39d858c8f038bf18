import { DeviceRequest, type NewRequest, RequestPage } from '@farhand/protocol/schemas/requests'
import { type RequestId, randomName } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { type CallOptions, call } from '../requests/call.ts'
import { type Hub, jsonRequest } from '../requests/hub.ts'

/** Routes a message to the user's device, to a sandbox, or into the queue. Its key makes a repeated request the same one. */
export function sendRequest(
  hub: Hub,
  asked: NewRequest,
  { key = randomName(), ...options }: CallOptions & { key?: string } = {},
): Promise<DeviceRequest> {
  const request = jsonRequest('POST', paths.requests(), asked, { 'idempotency-key': key })
  return call(hub, request, DeviceRequest, options)
}

/** A page of the user's requests, the newest first, and which of their devices are connected now. */
export function listRequests(
  hub: Hub,
  { cursor, ...options }: CallOptions & { cursor?: string } = {},
): Promise<RequestPage> {
  return call(hub, { path: paths.requests(), query: { cursor } }, RequestPage, options)
}

export function findRequest(hub: Hub, request: RequestId, options?: CallOptions): Promise<DeviceRequest> {
  return call(hub, { path: paths.request(request) }, DeviceRequest, options)
}

/** The yes to what an agent in a sandbox left for the user's computer. Calling it twice is the same as once. */
export function acceptRequest(hub: Hub, request: RequestId, options?: CallOptions): Promise<DeviceRequest> {
  return call(hub, { method: 'POST', path: paths.acceptRequest(request) }, DeviceRequest, options)
}

/** Calling it twice is the same as once. */
export function cancelRequest(hub: Hub, request: RequestId, options?: CallOptions): Promise<DeviceRequest> {
  return call(hub, { method: 'POST', path: paths.cancelRequest(request) }, DeviceRequest, options)
}
