import {
  BindRequest,
  BoundDevicePage,
  DeviceCode,
  DeviceCodeAnswer,
  DeviceCodeRequest,
  DeviceCodeTokenRequest,
  DeviceDecision,
  DeviceTokens,
  NewPassword,
  PasswordState,
  RefreshRequest,
  TokenPage,
  WaitingDevice,
} from '../schemas/accounts.ts'
import { Ok } from '../schemas/api.ts'
import type { FaultCode } from '../wire/faults.ts'
import type { DeviceId, TokenId } from '../wire/ids.ts'
import { paths } from '../wire/routes.ts'
import { type Endpoint, json } from './endpoint.ts'

const body: FaultCode[] = ['request.too-large', 'request.unsupported-type']
const byPassword: FaultCode[] = ['https.required', 'password.wrong', 'password.too-often', 'hub.busy']

/** How devices are bound, and the user's devices, tokens and password (W70 to W77). */
export const accounts = {
  postAcpBind: {
    method: 'POST',
    path: paths.acpBind(),
    summary: 'Bind a device with user name and password (W70)',
    who: 'anyone',
    body: json(BindRequest),
    answers: { 201: { says: 'Bound', bodies: json(DeviceTokens) } },
    faults: [...body, ...byPassword, 'device.refused'],
  },
  postAcpRefresh: {
    method: 'POST',
    path: paths.acpRefresh(),
    summary: 'Exchange a refresh token for new tokens; each works once (W71)',
    who: 'anyone',
    body: json(RefreshRequest),
    answers: { 200: { says: 'The next tokens', bodies: json(DeviceTokens) } },
    faults: [...body, 'https.required', 'token.invalid', 'token.revoked', 'token.too-often'],
  },
  postAcpCode: {
    method: 'POST',
    path: paths.acpCode(),
    summary: 'Ask for a code with which a user approves this device in the web app (W73)',
    who: 'anyone',
    body: json(DeviceCodeRequest),
    answers: { 201: { says: 'The code', bodies: json(DeviceCode) } },
    faults: [...body, 'https.required', 'code.too-often'],
  },
  postAcpCodeToken: {
    method: 'POST',
    path: paths.acpCodeToken(),
    summary: 'Ask what became of a code; an approved one gives its tokens once (W73)',
    who: 'anyone',
    body: json(DeviceCodeTokenRequest),
    answers: { 200: { says: 'What became of it', bodies: json(DeviceCodeAnswer) } },
    faults: [...body, 'https.required', 'code.too-often', 'device.refused'],
  },
  getDevices: {
    method: 'GET',
    path: paths.devices(),
    summary: 'List the devices that this user has bound (W74)',
    who: 'user',
    answers: { 200: { says: 'All of them, on one page', bodies: json(BoundDevicePage) } },
  },
  deleteDevice: {
    method: 'DELETE',
    path: paths.device('{device}' as DeviceId),
    summary: 'Revoke a device: its tokens and open streams end at once (W74)',
    who: 'user',
    answers: { 200: { says: 'Revoked', bodies: json(Ok) } },
    faults: ['device.unknown'],
  },
  getDeviceCode: {
    method: 'GET',
    path: paths.deviceCode('{code}'),
    summary: 'The device that waits for this code to be approved (W73)',
    who: 'user',
    answers: { 200: { says: 'The device', bodies: json(WaitingDevice) } },
    faults: ['code.unknown', 'code.too-often'],
  },
  postDeviceCode: {
    method: 'POST',
    path: paths.deviceCode('{code}'),
    summary: 'Approve or refuse the device that waits for this code (W73)',
    who: 'user',
    body: json(DeviceDecision),
    answers: { 200: { says: 'Noted', bodies: json(Ok) } },
    faults: [...body, 'code.unknown', 'code.too-often', 'role.refused'],
  },
  getTokens: {
    method: 'GET',
    path: paths.userTokens(),
    summary: "List this user's tokens, without their text (W76)",
    who: 'user',
    answers: { 200: { says: 'All of them, on one page', bodies: json(TokenPage) } },
  },
  deleteToken: {
    method: 'DELETE',
    path: paths.userToken('{token}' as TokenId),
    summary: "Revoke one of this user's tokens (W76)",
    who: 'user',
    answers: { 200: { says: 'Revoked', bodies: json(Ok) } },
    faults: ['token.unknown'],
  },
  getPassword: {
    method: 'GET',
    path: paths.password(),
    summary: 'Whether this user has a password (W77)',
    who: 'user',
    answers: { 200: { says: 'The state of the password', bodies: json(PasswordState) } },
  },
  putPassword: {
    method: 'PUT',
    path: paths.password(),
    summary: "Set this user's password (W77)",
    who: 'user',
    body: json(NewPassword),
    answers: { 200: { says: 'Set', bodies: json(Ok) } },
    faults: [...body, 'https.required', 'password.refused', 'password.too-often', 'hub.busy'],
  },
} as const satisfies Record<string, Endpoint>
