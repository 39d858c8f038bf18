import { DeviceDecision, NewPassword, type PasswordState } from '@farhand/protocol/schemas/accounts'
import { Fault } from '@farhand/protocol/wire/faults'
import { listDevices, revokeDevice } from '../../../access/bound-devices.ts'
import { decideDeviceCode, waitingDevice } from '../../../access/device-codes.ts'
import type { Principal } from '../../../access/principal.ts'
import { provenSince } from '../../../access/sessions.ts'
import { requireGoodToken } from '../../../access/tokens.ts'
import { passwordSince, setPassword } from '../../../access/user-password.ts'
import { listUserTokens, revokeUserToken } from '../../../access/user-tokens.ts'
import { readJson } from '../../exchange/body.ts'
import { answerJson, type Exchange, parse, userOf } from '../../exchange/exchange.ts'
import type { HubParts } from '../../hub-parts/hub-parts.ts'
import { requireEncryption, tryPassword } from './check-password.ts'
import { endAccess } from './end-access.ts'

/** For so long after a sign-in a browser may set a password without the old one. */
const recentMs = 15 * 60_000

type User = Extract<Principal, { kind: 'user' }>

export async function getDevices(parts: HubParts, { res, who }: Exchange): Promise<void> {
  const { user, device } = userOf(who)
  answerJson(res, 200, { items: await listDevices(parts.db, user, device), next: null })
}

/** `DELETE /api/devices/{device}` (W74). */
export async function deleteDevice(parts: HubParts, { res, params, who }: Exchange): Promise<void> {
  const isRevoked = await revokeDevice(parts.db, userOf(who).user, params.device ?? '', new Date())
  if (!isRevoked)
    throw new Fault('device.unknown', 'you have no such device; it may have been revoked before')
  await endAccess(parts)
  answerJson(res, 200, { ok: true })
}

/** `GET /api/device-codes/{code}` (W73). */
export async function getDeviceCode(parts: HubParts, { res, params, who }: Exchange): Promise<void> {
  const { user } = userOf(who)
  refuseGuesses(parts, user)
  const waiting = await waitingDevice(parts.db, params.code ?? '', new Date())
  if (waiting === null) throw unknownCode(parts, user)
  answerJson(res, 200, waiting)
}

/** `POST /api/device-codes/{code}` (W73). */
export async function postDeviceCode(parts: HubParts, { req, res, params, who }: Exchange): Promise<void> {
  const { user, tokenId } = userOf(who)
  const { isApproved } = parse(DeviceDecision, await readJson(req, parts.config.bodyTimeoutMs))
  refuseGuesses(parts, user)
  // Else a stolen token would outlive its revocation, as a device.
  if (isApproved && (await provenSince(parts.db, tokenId)) === null)
    throw new Fault(
      'role.refused',
      `only a browser approves a device, and one that was signed in with the password, or with a link that "${parts.command} up" makes on the machine of the hub; sign in that way`,
    )
  const now = new Date()
  const isDecided = await parts.db.transaction().execute(async (trx) => {
    await requireGoodToken(trx, tokenId, now)
    return await decideDeviceCode(trx, params.code ?? '', { user, isApproved }, now)
  })
  if (!isDecided) throw unknownCode(parts, user)
  answerJson(res, 200, { ok: true })
}

function refuseGuesses({ failedCodes }: HubParts, user: string): void {
  if (failedCodes.isTooMany(user, performance.now()))
    throw new Fault('code.too-often', 'you have typed too many wrong codes; try again in a minute')
}

function unknownCode({ failedCodes }: HubParts, user: string): Fault {
  failedCodes.note(user, performance.now())
  return new Fault('code.unknown', 'no device waits for this code; it may have expired or been used')
}

export async function getTokens(parts: HubParts, { res, who }: Exchange): Promise<void> {
  const { user, tokenId } = userOf(who)
  answerJson(res, 200, { items: await listUserTokens(parts.db, user, tokenId), next: null })
}

/** `DELETE /api/tokens/{token}` (W76). */
export async function deleteToken(parts: HubParts, { res, params, who }: Exchange): Promise<void> {
  if (!(await revokeUserToken(parts.db, userOf(who).user, params.token ?? '', new Date())))
    throw new Fault('token.unknown', 'you have no such token; it may have been revoked before')
  await endAccess(parts)
  answerJson(res, 200, { ok: true })
}

export async function getPassword(parts: HubParts, { res, who }: Exchange): Promise<void> {
  answerJson(res, 200, await passwordState(parts, userOf(who)))
}

/** `PUT /api/password`: needs the old one, or a browser whose user has shown a short while ago who they are (W77). */
export async function putPassword(parts: HubParts, { req, res, who }: Exchange): Promise<void> {
  requireEncryption(parts, req)
  const user = userOf(who)
  const { password, old } = parse(NewPassword, await readJson(req, parts.config.bodyTimeoutMs))
  const { isSet, needsOld } = await passwordState(parts, user)
  if (needsOld && (!isSet || old === undefined))
    throw new Fault(
      'password.refused',
      `old: ${isSet ? 'give the present password, or sign in with it again' : `sign in with a link that "${parts.command} up" makes on the machine of the hub`}, and set it within 15 minutes; or "${parts.command} user password <name>" on that machine sets it`,
      { field: 'old' },
    )
  const typed = { username: user.name, password: old! }
  const right = needsOld ? await tryPassword(parts, { req, res }, typed) : null
  if (needsOld && right === null)
    throw new Fault('password.refused', 'old: this is not the present password', { field: 'old' })
  await setPassword(parts.db, parts.passwords, user.user, password, new Date(), {
    ...{ tokenId: user.tokenId, old: right },
  })
  answerJson(res, 200, { ok: true })
}

async function passwordState({ db }: HubParts, who: User): Promise<PasswordState> {
  const changedAt = await passwordSince(db, who.user)
  const since = await provenSince(db, who.tokenId)
  const isRecent = since !== null && Math.abs(Date.now() - Date.parse(since)) < recentMs
  return { isSet: changedAt !== null, changedAt, needsOld: !isRecent }
}
