import type { IncomingMessage } from 'node:http'
import { Fault } from '@farhand/protocol/wire/faults'
import type { Principal } from '../../access/principal.ts'
import { guesserOf, isLoopback } from '../connections/client-address.ts'
import { header } from '../exchange/exchange.ts'
import type { Rooms } from '../hub-parts/hub-parts.ts'

/**
 * Who holds this token. Wrong ones are counted by address, and after many of them only that is said (W52). A right one is
 * never refused for those of others: that it is one has to be found out first.
 */
export async function tokenHolder(
  rooms: Rooms,
  req: IncomingMessage,
  token: string,
  device?: string,
): Promise<Principal> {
  const isWriting = req.method !== 'GET' && req.method !== 'HEAD'
  try {
    return await rooms.signIn.principal(token, device, isWriting)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'token.invalid') throw error
    const address = guesserOf(req, rooms.config.publicUrl)
    const now = performance.now()
    if (rooms.wrongTokens.isTooMany(address, now))
      throw new Fault('token.too-often', 'too many wrong tokens came from there; try again in a minute')
    rooms.wrongTokens.note(address, now)
    throw error
  }
}

const passedOn = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']

/**
 * Whether somebody asks from the hub's own machine. Behind a proxy there, everybody does: who has set a public address has
 * one, and what else was passed on mostly says so.
 */
export function isNear(req: IncomingMessage, publicUrl: string | undefined): boolean {
  const { remoteAddress } = req.socket
  if (passedOn.some((name) => header(req, name) !== undefined)) return false
  return remoteAddress === undefined || (publicUrl === undefined && isLoopback(remoteAddress))
}
