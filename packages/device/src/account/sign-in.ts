import type { Hub } from '@farhand/client/requests/hub'
import { Me } from '@farhand/protocol/schemas/api'
import { FaultAnswer } from '@farhand/protocol/wire/faults'
import { paths } from '@farhand/protocol/wire/routes'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { withTokensLocked } from '../device-token/lock-tokens.ts'
import { type KeychainUser, userKeychain } from './user-keychain.ts'

export type WhoAmI = { is: 'user'; name: string } | { is: 'unknown-token' } | { is: 'no-hub' }

/** Whether a hub answers at this address; rejects if nothing does. No token is sent. */
export async function isHub(
  { url, fetch }: Pick<Hub, 'url' | 'fetch'>,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await askMe({ url, ...(fetch && { fetch }) }, signal)
  const fault = FaultAnswer.safeParse(await answer.json().catch(() => null)).data
  return fault?.error.remedy === 'sign-in'
}

/** The user to whom a token belongs; rejects if nothing answers. */
export async function whoAmI(hub: Hub, signal: AbortSignal): Promise<WhoAmI> {
  const answer = await askMe(hub, signal)
  if (answer.status === 401) return { is: 'unknown-token' }
  const me = Me.safeParse(await answer.json().catch(() => null)).data
  return me && 'user' in me ? { is: 'user', name: me.name } : { is: 'no-hub' }
}

/** Stores the token for a hub, in the system keychain if it is used; returns where it is now. */
export async function keepToken(
  { url, token }: { url: string; token: string },
  stateFolder: string,
  user: KeychainUser,
): Promise<'keychain' | 'file'> {
  const { tokens } = new StateFolder(stateFolder)
  await withTokensLocked(tokens, url, () => tokens.keep(url, token, true))
  if (userKeychain(stateFolder, user)) tokens.moveToKeychain()
  return 'token' in (tokens.note(url) ?? {}) ? 'file' : 'keychain'
}

async function askMe({ url, token, fetch = globalThis.fetch }: Hub, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return await fetch(url + paths.me(), { signal, headers, redirect: 'manual' })
}
