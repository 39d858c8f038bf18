import type { Hub } from '@farhand/client/requests/hub'
import { isPassing } from '@farhand/client/requests/refusal'
import {
  beginDeviceCode,
  bindDevice,
  deviceCodeAnswer,
  revokeDevice,
} from '@farhand/client/resources/accounts'
import { sleep } from '@farhand/kit/sleep'
import type { BindRequest, DeviceCode, DeviceTokens } from '@farhand/protocol/schemas/accounts'
import { DeviceId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { withTokensLocked } from '../device-token/lock-tokens.ts'
import { viaLocalSocket } from '../local-hub/via-local-socket.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import { type KeychainUser, userKeychain } from './user-keychain.ts'

/** Whether a password sent to this address can be read by others on the way. */
export function isReadableOnTheWay(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** The tokens of this computer, now that the user name and password were right. */
export const bindByPassword = (hub: Hub, asked: BindRequest, signal: AbortSignal): Promise<DeviceTokens> =>
  bindDevice(hub, asked, { signal })

export type ByCode = { is: 'approved'; tokens: DeviceTokens } | { is: 'refused' } | { is: 'expired' }

/** Shows a code with `show`, and waits until the user has approved or refused it in the web app. */
export async function bindByCode(
  hub: Hub,
  name: string,
  show: (code: DeviceCode) => void,
  signal: AbortSignal,
): Promise<ByCode> {
  const code = await beginDeviceCode(hub, name, { signal, patienceMs })
  show(code)
  let waitSeconds = code.interval
  for (;;) {
    await sleep(waitSeconds * 1000, { signal })
    // The answer that was lost may have been the tokens: then the next one says that the code has expired.
    const answer = await deviceCodeAnswer(hub, code.device_code, { signal }).catch((error: unknown) => {
      if (!isPassing(error)) throw error
      return null
    })
    if (answer === null || answer.status === 'pending') continue
    if (answer.status === 'slow_down') waitSeconds = answer.interval + 1
    else if (answer.status === 'approved') return { is: 'approved', tokens: answer }
    else return { is: answer.status }
  }
}

/**
 * Stores the tokens of this computer as a bound device; returns where they are now. What it was bound as before at this hub is
 * revoked, if the hub can be reached.
 */
export async function keepDevice(
  hub: Hub,
  bound: { tokens: DeviceTokens; name: string },
  stateFolder: string,
  user: KeychainUser,
): Promise<'keychain' | 'file'> {
  const { url } = hub
  const { tokens: stored } = new StateFolder(stateFolder)
  const { acp_token, refresh_token, device_id, expires_at } = bound.tokens
  const as = { device: device_id, name: bound.name, expiresAt: expires_at }
  const { before, token } = await withTokensLocked(stored, url, () => {
    const known = { before: stored.boundAs(url), token: stored.of(url) }
    stored.keepBound(url, { token: acp_token, refresh: refresh_token }, as)
    return known
  })
  const id = DeviceId.safeParse(before?.device).data
  if (id && token !== null)
    await revokeDevice({ ...hub, token }, id, { patienceMs: 0, answerMs: patienceMs }).catch(() => {})
  if (userKeychain(stateFolder, user)) stored.moveToKeychain()
  return 'token' in (stored.note(url) ?? {}) ? 'file' : 'keychain'
}

/** Revokes this computer at a hub, which cannot be undone. `unreachable`: the hub did not answer, and still knows it. */
export async function revokeThisDevice(
  url: string,
  stateFolder: string,
  signal: AbortSignal,
): Promise<'revoked' | 'unreachable' | 'not-bound'> {
  const { tokens } = new StateFolder(stateFolder)
  const [device, token] = [DeviceId.safeParse(tokens.boundAs(url)?.device).data, tokens.of(url)]
  if (!device || token === null) return 'not-bound'
  try {
    const hub = viaLocalSocket(stateFolder, { url, token })
    await revokeDevice(hub, device, { signal, patienceMs: 0, answerMs: patienceMs })
    return 'revoked'
  } catch (error) {
    // It was revoked before: its token is refused, or it is not in the list any more.
    return isPassing(error) ? 'unreachable' : 'revoked'
  }
}
