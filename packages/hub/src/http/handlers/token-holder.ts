import type { IncomingMessage } from 'node:http'
import { Fault } from '@farhand/protocol/wire/faults'
import type { Principal } from '../../access/principal.ts'
import { attemptKeyOf } from '../connections/client-address.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'

/**
 * The user or runner of a token. Wrong tokens are counted by address, and after too many the address is told to wait (W52). A valid
 * token is never refused because of wrong ones from the same address.
 */
export async function tokenHolder(
  parts: HubParts,
  req: IncomingMessage,
  token: string,
  device?: string,
): Promise<Principal> {
  const isWriting = req.method !== 'GET' && req.method !== 'HEAD'
  try {
    return await parts.signIn.principal(token, device, isWriting)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'token.invalid') throw error
    const address = attemptKeyOf(req, parts.config.publicUrl)
    const now = performance.now()
    if (parts.failedTokens.isTooMany(address, now))
      throw new Fault('token.too-often', 'too many wrong tokens came from there; try again in a minute')
    parts.failedTokens.note(address, now)
    throw error
  }
}
