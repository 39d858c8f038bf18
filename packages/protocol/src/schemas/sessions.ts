import { z } from 'zod'
import { plainLine } from '../text/plain-text.ts'
import { SessionId } from '../wire/ids.ts'
import { Me, pageOf } from './api.ts'

/** How a browser signs in: with a code from a link, which works once, with a token, or with user name and password. */
export const SignInRequest = z.union([
  z.object({ code: z.string().min(1).max(100) }),
  z.object({ token: z.string().min(1).max(500) }),
  z.object({ username: z.string().min(1).max(100), password: z.string().min(1).max(1024) }),
])
export type SignInRequest = z.infer<typeof SignInRequest>

/**
 * The user, and the half of the session's token that the page keeps. The other half is in the cookie, which browsers also
 * send to other ports of the hub's host: neither half alone gives access.
 */
export const SignedIn = Me.and(z.object({ sessionKey: z.string() }))
export type SignedIn = z.infer<typeof SignedIn>

/** How long a code can be used, by one browser. */
export const signInCodeMinutes = 10

/** A code that signs in once, and the addresses at which other computers reach this hub, the best one first. */
export const SignInCode = z.object({
  code: z.string(),
  until: z.iso.datetime(),
  urls: z.array(z.string()).min(1),
})
export type SignInCode = z.infer<typeof SignInCode>

/**
 * A browser in which a user is signed in; `lastSeenAt` is right to a few minutes. After `expiresAt` it has to sign in again, and is
 * listed only as long as it still gets notifications.
 */
export const Session = z.object({
  id: SessionId,
  name: z.string(),
  createdAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime().nullable(),
  /** Moves on with each use. Absent in answers of older hubs. */
  expiresAt: z.iso.datetime().nullish(),
  /** Whether the request comes from this session. */
  isThis: z.boolean(),
})
export type Session = z.infer<typeof Session>

export const SessionPage = pageOf(Session)

/** Visible characters: a name without any could not be selected in a list. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** The user's name for a device: one line of visible characters, so that no device can imitate the name of another. */
export const SessionName = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine(
      (name) => plainLine(name) === name && visible.test(name),
      'expected one line of characters that can be seen',
    ),
})
export type SessionName = z.infer<typeof SessionName>

/** The link with a code. It is behind the `#`, so that no server and no log on the way gets it. */
export const signInLink = (url: string, code: string): string => `${url.replace(/\/+$/, '')}/in#code=${code}`

/** The address at which other computers reach a hub; null if only this machine can. */
export function urlForOthers(urls: readonly string[]): string | null {
  return urls.find((url) => !isLoopback(url)) ?? null
}

const isLoopback = (url: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
