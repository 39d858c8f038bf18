import { z } from 'zod'
import { DeviceId, TokenId } from '../wire/ids.ts'
import { pageOf } from './api.ts'
import { SessionName } from './sessions.ts'

/** How long a device's `acp_token` is valid (W70). */
export const acpTokenDays = 90
/** A device renews its `acp_token` when it is valid for less than this (W71). */
export const renewWithinDays = 7

export const passwordLength = { least: 10, most: 1024 } as const

const UserName = z.string().min(1).max(100)
const Password = z.string().min(1).max(passwordLength.most)
const DeviceName = SessionName.shape.name

/** The body of `POST /acp/auth/bind`: names are as seed 004 writes them (W70). */
export const BindRequest = z.object({ username: UserName, password: Password, device_name: DeviceName })
export type BindRequest = z.infer<typeof BindRequest>

/** The tokens of a bound device; `expires_at` is when its `acp_token` ends. The hub shows each token once (W70). */
export const DeviceTokens = z.object({
  acp_token: z.string().min(1).max(500),
  refresh_token: z.string().min(1).max(500),
  device_id: DeviceId,
  expires_at: z.iso.datetime(),
})
export type DeviceTokens = z.infer<typeof DeviceTokens>

export const RefreshRequest = z.object({ refresh_token: z.string().min(1).max(500) })
export type RefreshRequest = z.infer<typeof RefreshRequest>

export const DeviceCodeRequest = z.object({ device_name: DeviceName })
export type DeviceCodeRequest = z.infer<typeof DeviceCodeRequest>

/** A code that a user types into the web app to approve a device; times are in seconds (W73). */
export const DeviceCode = z.object({
  device_code: z.string().min(1).max(200),
  user_code: z.string().min(1).max(40),
  verification_url: z.url(),
  expires_in: z.number().int().positive(),
  interval: z.number().int().positive(),
})
export type DeviceCode = z.infer<typeof DeviceCode>

export const DeviceCodeTokenRequest = z.object({ device_code: z.string().min(1).max(200) })
export type DeviceCodeTokenRequest = z.infer<typeof DeviceCodeTokenRequest>

/** What became of a code. `slow_down`: the device asked again before `interval` seconds had passed (W73). */
export const DeviceCodeAnswer = z.discriminatedUnion('status', [
  z.object({ status: z.literal(['pending', 'slow_down']), interval: z.number().int().positive() }),
  z.object({ status: z.literal(['refused', 'expired']) }),
  z.object({ status: z.literal('approved'), ...DeviceTokens.shape }),
])
export type DeviceCodeAnswer = z.infer<typeof DeviceCodeAnswer>

/** The device that waits for a code's approval: where it asked from, and when (W73). */
export const WaitingDevice = z.object({
  name: z.string(),
  address: z.string(),
  since: z.iso.datetime(),
  until: z.iso.datetime(),
})
export type WaitingDevice = z.infer<typeof WaitingDevice>

export const DeviceDecision = z.object({ isApproved: z.boolean() })
export type DeviceDecision = z.infer<typeof DeviceDecision>

/** A device that a user has bound; `lastSeenAt` is right to a few minutes (W74). */
export const BoundDevice = z.object({
  id: DeviceId,
  name: z.string(),
  createdAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
  /** Whether the request comes from this device. */
  isThis: z.boolean(),
})
export type BoundDevice = z.infer<typeof BoundDevice>

export const BoundDevicePage = pageOf(BoundDevice)

/** A user's token without its text, which the hub does not have; `lastUsedAt` is right to an hour (W76). */
export const ListedToken = z.object({
  id: TokenId,
  name: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  isThis: z.boolean(),
})
export type ListedToken = z.infer<typeof ListedToken>

export const TokenPage = pageOf(ListedToken)

/** Whether the user has a password, and whether the hub needs it to set another one (W77). */
export const PasswordState = z.object({
  isSet: z.boolean(),
  changedAt: z.iso.datetime().nullable(),
  /** False shortly after a browser has signed in. */
  needsOld: z.boolean(),
})
export type PasswordState = z.infer<typeof PasswordState>

export const NewPassword = z.object({
  password: z.string().min(passwordLength.least).max(passwordLength.most),
  old: Password.optional(),
})
export type NewPassword = z.infer<typeof NewPassword>

/** How a browser may sign in over the connection that it asks with (W72). */
export const SignInWays = z.object({ password: z.boolean() })
export type SignInWays = z.infer<typeof SignInWays>
