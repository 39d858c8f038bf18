import type { IncomingMessage } from 'node:http'
import {
  BindRequest,
  type DeviceCode,
  type DeviceCodeAnswer,
  DeviceCodeRequest,
  DeviceCodeTokenRequest,
  RefreshRequest,
} from '@farhand/protocol/schemas/accounts'
import { Fault } from '@farhand/protocol/wire/faults'
import { bindDevice, refreshDevice } from '../../../access/bound-devices.ts'
import { beginDeviceCode, codeSeconds, pollDeviceCode, pollSeconds } from '../../../access/device-codes.ts'
import { requireSamePassword } from '../../../access/user-password.ts'
import type { Db } from '../../../store/tables.ts'
import { attemptKeyOf } from '../../connections/client-address.ts'
import { readJson } from '../../exchange/body.ts'
import { answerJson, type Exchange, header, parse } from '../../exchange/exchange.ts'
import type { HubParts } from '../../hub-parts/hub-parts.ts'
import { checkPassword, requireEncryption } from './check-password.ts'
import { endAccess } from './end-access.ts'

// Clients without a token may call these, so the bodies must be small.
const mostBytes = 8192

const bodyOf = (parts: HubParts, req: IncomingMessage) => {
  requireEncryption(parts, req)
  return readJson(req, parts.config.bodyTimeoutMs, mostBytes)
}

/** `POST /acp/auth/bind` (W70). */
export async function postAcpBind(parts: HubParts, exchange: Exchange): Promise<void> {
  const { device_name, ...typed } = parse(BindRequest, await bodyOf(parts, exchange.req))
  const right = await checkPassword(parts, exchange, typed)
  const isStillRight = (trx: Db) => requireSamePassword(trx, right)
  const bound = await bindDevice(parts, { user: right.user, name: device_name }, new Date(), isStillRight)
  answerJson(exchange.res, 201, bound)
}

/** `POST /acp/auth/refresh` (W71). */
export async function postAcpRefresh(parts: HubParts, { req, res }: Exchange): Promise<void> {
  const { refresh_token } = parse(RefreshRequest, await bodyOf(parts, req))
  const refreshed = await refreshDevice(parts, refresh_token, new Date())
  if ('tokens' in refreshed) return answerJson(res, 200, refreshed.tokens)
  if (refreshed.no === 'unknown') throw unknownToken(parts, req)
  if (refreshed.no === 'reused') {
    parts.logger.warn('a refresh token was used twice: its device is revoked, as a second party may have it')
    await endAccess(parts)
  }
  throw new Fault(
    'token.revoked',
    refreshed.no === 'reused'
      ? 'this refresh token was used before, so two parties may have it: the device is revoked; bind it again'
      : 'this device is revoked; bind it again',
  )
}

function unknownToken({ failedTokens, config }: HubParts, req: IncomingMessage): Fault {
  const address = attemptKeyOf(req, config.publicUrl)
  const now = performance.now()
  if (failedTokens.isTooMany(address, now))
    return new Fault('token.too-often', 'too many wrong tokens came from there; try again in a minute')
  failedTokens.note(address, now)
  return new Fault('token.invalid', 'this refresh token is not known here; bind the device again')
}

/** `POST /acp/auth/code` (W73). */
export async function postAcpCode(parts: HubParts, { req, res }: Exchange): Promise<void> {
  const { device_name: name } = parse(DeviceCodeRequest, await bodyOf(parts, req))
  const address = attemptKeyOf(req, parts.config.publicUrl) || 'the machine of the hub'
  const { deviceCode, userCode } = await beginDeviceCode(parts.db, { name, address }, new Date())
  const answer: DeviceCode = {
    ...{ device_code: deviceCode, user_code: userCode },
    verification_url: `${hubUrl(parts, req)}/settings#devices`,
    ...{ expires_in: codeSeconds, interval: pollSeconds },
  }
  answerJson(res, 201, answer)
}

/** `POST /acp/auth/code/token` (W73). */
export async function postAcpCodeToken(parts: HubParts, { req, res }: Exchange): Promise<void> {
  const { device_code } = parse(DeviceCodeTokenRequest, await bodyOf(parts, req))
  const polled = await pollDeviceCode(parts, device_code, new Date())
  answerJson(res, 200, answerOf(polled))
}

function answerOf(polled: Awaited<ReturnType<typeof pollDeviceCode>>): DeviceCodeAnswer {
  switch (polled.is) {
    case 'pending':
      return { status: 'pending', interval: pollSeconds }
    case 'slow-down':
      return { status: 'slow_down', interval: pollSeconds }
    case 'refused':
    case 'expired':
      return { status: polled.is }
    case 'approved':
      return { status: 'approved', ...polled.tokens }
  }
}

/** The address at which the asking device has reached the hub; its user can open it there, too. */
function hubUrl({ config, urls }: HubParts, req: IncomingMessage): string {
  if (config.publicUrl !== undefined) return config.publicUrl.replace(/\/+$/, '')
  const host = header(req, 'host')
  if (req.socket.remoteAddress === undefined || host === undefined) return urls()[0] ?? ''
  return `${header(req, 'x-forwarded-proto') === 'https' ? 'https' : 'http'}://${host}`
}
