import {
  type BindRequest,
  type BoundDevice,
  BoundDevicePage,
  DeviceCode,
  DeviceCodeAnswer,
  DeviceTokens,
  type ListedToken,
  type NewPassword,
  PasswordState,
  SignInWays,
  TokenPage,
  WaitingDevice,
} from '@farhand/protocol/schemas/accounts'
import { Ok } from '@farhand/protocol/schemas/api'
import type { DeviceId, TokenId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { type CallOptions, call, callOnce } from '../requests/call.ts'
import { type Hub, jsonRequest } from '../requests/hub.ts'

/** Binds this device with user name and password. It is tried once: a wrong password must not be counted twice. */
export function bindDevice(hub: Hub, asked: BindRequest, options: CallOptions = {}): Promise<DeviceTokens> {
  return callOnce(hub, jsonRequest('POST', paths.acpBind(), asked), DeviceTokens, options)
}

/**
 * Exchanges a refresh token for the next tokens. Store both before either is used: if the answer is lost, the same refresh token is
 * accepted again only as long as the new tokens were never used.
 */
export function refreshDevice(
  hub: Hub,
  refreshToken: string,
  options: CallOptions = {},
): Promise<DeviceTokens> {
  const request = jsonRequest('POST', paths.acpRefresh(), { refresh_token: refreshToken })
  return callOnce(hub, request, DeviceTokens, options)
}

/** Asks for a code with which the user approves this device in the web app. */
export function beginDeviceCode(hub: Hub, name: string, options?: CallOptions): Promise<DeviceCode> {
  return call(hub, jsonRequest('POST', paths.acpCode(), { device_name: name }), DeviceCode, options)
}

/** What became of a code. It is tried once: an approved code gives its tokens once. */
export function deviceCodeAnswer(
  hub: Hub,
  deviceCode: string,
  options: CallOptions = {},
): Promise<DeviceCodeAnswer> {
  const request = jsonRequest('POST', paths.acpCodeToken(), { device_code: deviceCode })
  return callOnce(hub, request, DeviceCodeAnswer, options)
}

/** The devices that this user has bound, the last used first. */
export async function listDevices(hub: Hub, options?: CallOptions): Promise<BoundDevice[]> {
  return (await call(hub, { path: paths.devices() }, BoundDevicePage, options)).items
}

/** Revokes a device. If the answer is lost and it is asked again, the hub knows none of that id. */
export async function revokeDevice(hub: Hub, device: DeviceId, options?: CallOptions): Promise<void> {
  await call(hub, { method: 'DELETE', path: paths.device(device) }, Ok, options)
}

/** The device that waits for this code, which the user has typed. */
export function waitingDevice(hub: Hub, code: string, options?: CallOptions): Promise<WaitingDevice> {
  return call(hub, { path: paths.deviceCode(encodeURIComponent(code)) }, WaitingDevice, options)
}

/** Approves or refuses the device that waits for this code. */
export async function decideDevice(
  hub: Hub,
  code: string,
  isApproved: boolean,
  options?: CallOptions,
): Promise<void> {
  const path = paths.deviceCode(encodeURIComponent(code))
  await call(hub, jsonRequest('POST', path, { isApproved }), Ok, options)
}

/** The user's own tokens, the newest first. */
export async function listTokens(hub: Hub, options?: CallOptions): Promise<ListedToken[]> {
  return (await call(hub, { path: paths.userTokens() }, TokenPage, options)).items
}

/** Revokes one of the user's own tokens. */
export async function revokeToken(hub: Hub, token: TokenId, options?: CallOptions): Promise<void> {
  await call(hub, { method: 'DELETE', path: paths.userToken(token) }, Ok, options)
}

/** Whether the user has a password, and what it takes to set another one. */
export function passwordState(hub: Hub, options?: CallOptions): Promise<PasswordState> {
  return call(hub, { path: paths.password() }, PasswordState, options)
}

/** Sets the user's password. It is tried once: a wrong old password must not be counted twice. */
export async function setPassword(hub: Hub, asked: NewPassword, options: CallOptions = {}): Promise<void> {
  await callOnce(hub, jsonRequest('PUT', paths.password(), asked), Ok, options)
}

/** How a browser may sign in over this connection. */
export function signInWays(hub: Hub, options?: CallOptions): Promise<SignInWays> {
  return call(hub, { path: paths.signIn() }, SignInWays, options)
}
