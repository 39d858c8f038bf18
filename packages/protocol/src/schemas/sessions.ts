import { z } from 'zod'
import { plainLine } from '../text/plain-text.ts'
import { SessionId } from '../wire/ids.ts'
import { Me, pageOf } from './api.ts'

/** By what a browser gets a session: a code from a link, once, or a token. */
export const SignInRequest = z.union([
  z.object({ code: z.string().min(1).max(100) }),
  z.object({ token: z.string().min(1).max(500) }),
])
export type SignInRequest = z.infer<typeof SignInRequest>

/**
 * Who signed in, and the half of the session's token that the page keeps. The other half is in the cookie, which browsers
 * also send to other ports of the hub's host: neither half alone opens anything.
 */
export const SignedIn = Me.and(z.object({ sessionKey: z.string() }))
export type SignedIn = z.infer<typeof SignedIn>

/** A code is good for one browser, and for so long. */
export const signInCodeMinutes = 10

/** A code that signs in once, until then, and the addresses at which others reach this hub, the best one first. */
export const SignInCode = z.object({
  code: z.string(),
  until: z.iso.datetime(),
  urls: z.array(z.string()).min(1),
})
export type SignInCode = z.infer<typeof SignInCode>

/** A browser that was not used for so many days is signed out. */
export const sessionDays = 90

/** Somewhere a user is signed in; `lastSeenAt` is right to a few minutes. */
export const Session = z.object({
  id: SessionId,
  name: z.string(),
  createdAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime().nullable(),
  /** Whether it is the one that asks. */
  isThis: z.boolean(),
})
export type Session = z.infer<typeof Session>

export const SessionPage = pageOf(Session)

/** Characters that can be seen: what has none of them could not be pressed in a list. */
const somethingSeen = /[\p{L}\p{N}\p{P}\p{S}]/u

/** What a user calls a device. One line of it, and all of it to be seen: no device may look like another one by a trick. */
export const SessionName = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .refine(
      (name) => plainLine(name) === name && somethingSeen.test(name),
      'expected one line of characters that can be seen',
    ),
})
export type SessionName = z.infer<typeof SessionName>

/** Where the link with a code leads: behind the `#`, so that no server and no log on the way sees it. */
export const signInLink = (url: string, code: string): string => `${url.replace(/\/+$/, '')}/in#code=${code}`

/** The address at which somebody else in the network reaches a hub; null if nobody does. */
export function urlForOthers(urls: readonly string[]): string | null {
  return urls.find((url) => !isLoopback(url)) ?? null
}

const isLoopback = (url: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)
