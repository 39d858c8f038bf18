import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@farhand/protocol/wire/faults'
import { type RightPassword, userByPassword } from '../../../access/user-password.ts'
import { attemptKeyOf } from '../../connections/client-address.ts'
import { isEncrypted } from '../../connections/encrypted.ts'
import type { HubParts } from '../../hub-parts/hub-parts.ts'

type Asked = { req: IncomingMessage; res: ServerResponse }
type Typed = { username: string; password: string }

/** Whether passwords are taken over this connection (W72). */
export const takesPasswords = ({ config }: HubParts, req: IncomingMessage): boolean =>
  config.allowHttpPasswords || isEncrypted(req, config.publicUrl)

/** Refuses what must not be read on the way (W72). */
export function requireEncryption(parts: HubParts, req: IncomingMessage): void {
  if (takesPasswords(parts, req)) return
  throw new Fault(
    'https.required',
    'passwords and tokens of devices are not taken over http from another machine; use https, or start the hub with --allow-http-passwords',
  )
}

/** The user with this name and password; throws if there is none, or if there were too many attempts (W72). */
export async function checkPassword(parts: HubParts, asked: Asked, typed: Typed): Promise<RightPassword> {
  const right = await tryPassword(parts, asked, typed)
  if (right === null) throw new Fault('password.wrong', 'user name and password do not belong together')
  return right
}

/** As `checkPassword`, but null if there is no such user, or the password is another. */
export async function tryPassword(
  parts: HubParts,
  { req, res }: Asked,
  typed: Typed,
): Promise<RightPassword | null> {
  requireEncryption(parts, req)
  const { byUser, byAddress } = parts.failedPasswords
  const address = attemptKeyOf(req, parts.config.publicUrl)
  begin(parts, res, address, typed.username)
  let how: 'right' | 'wrong' | 'untried' = 'untried'
  try {
    const right = await userByPassword(parts.db, parts.passwords, typed)
    how = right === null ? 'wrong' : 'right'
    return right
  } finally {
    // Not the machine's clock: setting it back would lock users out.
    const now = performance.now()
    byAddress.end(address, how, now)
    byUser.end(typed.username, how, now)
    if (how === 'right') byUser.forget(typed.username)
  }
}

function begin({ failedPasswords }: HubParts, res: ServerResponse, address: string, username: string): void {
  const { byUser, byAddress } = failedPasswords
  const now = performance.now()
  const ofAddressMs = byAddress.begin(address, now)
  const ofUserMs = ofAddressMs > 0 ? 0 : byUser.begin(username, now)
  if (ofAddressMs === 0 && ofUserMs === 0) return
  if (ofAddressMs === 0) byAddress.end(address, 'untried', now)
  const seconds = Math.ceil((ofAddressMs + ofUserMs) / 1000)
  res.setHeader('Retry-After', String(seconds))
  throw new Fault(
    'password.too-often',
    `too many wrong passwords came from there or for this user: try again in ${seconds} seconds`,
  )
}
