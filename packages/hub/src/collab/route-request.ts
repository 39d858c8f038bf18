import type { DeviceId } from '@farhand/protocol/wire/ids'

/** A device of the user that has been connected to answer requests, or is now. */
export type Candidate = {
  id: DeviceId
  isOnline: boolean
  /** When it last got a request, as text that sorts; '' if it never has. */
  lastUsedAt: string
  /** Since when it is connected; '' if it is not. */
  onlineSince: string
}

export type Routing = {
  candidates: readonly Candidate[]
  /** The device that the user has named. */
  named: DeviceId | null
  needsDevice: boolean
  /** The devices that this request came from, directly or through what they delegated. */
  origins: readonly DeviceId[]
  /** Where the conversation that it continues is; null: it begins one. */
  conversation: { on: 'device'; device: DeviceId | null } | { on: 'cloud' } | null
  /** Why no sandbox can answer; null: one can. */
  whyNoCloud: string | null
}

export type Route =
  | { to: 'device'; device: DeviceId; reason: string }
  | { to: 'cloud'; reason: string }
  /** `device` is null if whichever device comes first may have it. */
  | { to: 'queue'; device: DeviceId | null; reason: string }
  | { to: 'refused'; reason: string }

/**
 * Decides who answers a request: a device of the user that is connected, else a sandbox, else it waits. It never goes back to a device
 * that it came from.
 */
export function routeRequest(routing: Routing): Route {
  const { candidates, named, origins, conversation, whyNoCloud } = routing
  if (conversation?.on === 'cloud' && !routing.needsDevice && named === null)
    return whyNoCloud === null
      ? { to: 'cloud', reason: 'its conversation is in a sandbox' }
      : { to: 'refused', reason: whyNoCloud }
  // The files of that conversation are on one device: no other one can go on with it.
  const wanted = (conversation?.on === 'device' ? conversation.device : null) ?? named
  const needsDevice = routing.needsDevice || conversation?.on === 'device'
  const isLoop = wanted !== null && origins.includes(wanted)
  if (isLoop && needsDevice)
    return { to: 'refused', reason: 'the device that it needs is the one that it came from' }
  const online = candidates
    .filter(({ id, isOnline }) => isOnline && !origins.includes(id) && (wanted === null || id === wanted))
    .sort(lastUsedFirst)[0]
  if (online)
    return {
      to: 'device',
      device: online.id,
      reason: wanted === null ? 'it is the connected device that was used last' : 'it is connected',
    }
  if (needsDevice)
    return {
      to: 'queue',
      device: wanted,
      reason: wanted === null ? 'no device is connected that may have it' : 'that device is not connected',
    }
  if (whyNoCloud === null)
    return {
      to: 'cloud',
      reason: isLoop ? 'it came from the named device, which does not get it back' : 'no device is connected',
    }
  return { to: 'queue', device: isLoop ? null : wanted, reason: `no device is connected, and ${whyNoCloud}` }
}

function lastUsedFirst(one: Candidate, other: Candidate): number {
  const keys = ({ lastUsedAt, onlineSince, id }: Candidate) => [lastUsedAt, onlineSince, id]
  const [a, b] = [keys(one), keys(other)]
  for (const at of [0, 1, 2]) if (a[at] !== b[at]) return a[at]! < b[at]! ? 1 : -1
  return 0
}
