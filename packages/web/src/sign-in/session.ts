import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { signIn, signOut, whoAmI } from '@farhand/client/resources/sessions'
import { Me } from '@farhand/protocol/schemas/api'
import type { SignedIn, SignInRequest } from '@farhand/protocol/schemas/sessions'
import { paths } from '@farhand/protocol/wire/routes'
import { useSyncExternalStore } from 'react'
import { takeEarlyResponse } from '../early-requests/early-responses.ts'
import { lastUserKey } from '../early-requests/last-user.ts'
import { sessionKey, storeSessionKey } from '../early-requests/session-key.ts'
import { readLocalJson, writeLocal } from '../storage/local.ts'
import { toast } from '../ui/toasts.ts'
import { clearAllButDrafts, clearBrowserData, draftsOwner, releaseDrafts } from './clear-browser-data.ts'
import { type HubAnswer, type SignedInUser, SignInFlow, type SignInState } from './sign-in-flow.ts'
import { keyInUrl, pathWithoutKey } from './sign-in-url.ts'

/** The hub that served this page. The cookie and the session key identify the user. */
export const pageHub: Hub = {
  url: location.origin,
  sessionKey,
  async fetch(asked, init) {
    const answer = (await takeEarlyResponse(String(asked), init)) ?? (await fetch(asked, init))
    // A user who was signed out elsewhere learns it with the next request, on any page.
    if (answer.status === 401 && !isAboutWho(String(asked))) void recheckSignIn()
    return answer
  },
}

const isAboutWho = (url: string) => [paths.me(), paths.signIn()].some((path) => url.endsWith(path))

const once = { patienceMs: 0, answerMs: 10_000 }
const againMs = 5000

const flow = new SignInFlow({
  whoAmI: () => hubAnswer(whoAmI(pageHub, once)),
  signIn: (by) => hubAnswer(signIn(pageHub, by, once).then(storeKey)),
  signOut: () => signOut(pageHub, { ...once, patienceMs: 3000 }),
  forget: (user) => clearBrowserData(pageHub.url, user),
  clearAllButDrafts: (user) => clearAllButDrafts(pageHub.url, user),
  draftsOwner: draftsOwner,
  keyUnused: ({ name }) => toast(`You were signed in already, as ${name}: the link was not used.`),
  remembered() {
    // Older versions of the page may have stored something else.
    const me = Me.safeParse(readLocalJson(lastUserKey))
    return me.success ? signedInUser(me.data) : null
  },
  remember(me) {
    if (me) releaseDrafts()
    writeLocal(lastUserKey, me && JSON.stringify(me))
  },
})

/** Checks who is signed in, and removes a sign-in key from the address before other code can read it. */
export function startSession(): void {
  const key = keyInUrl(location.hash)
  if (key === null) void flow.check()
  else {
    history.replaceState(null, '', pathWithoutKey(location.pathname))
    void flow.signInWith(key)
  }
  addEventListener('online', () => void recheckSignIn())
  setInterval(() => isUnconfirmed(flow.state) && void flow.check(), againMs)
}

/** Call this when the hub has refused a request: the user may have been signed out elsewhere. */
export const recheckSignIn = (): Promise<void> => flow.check()

export const signInWith = (by: SignInRequest): Promise<void> => flow.signInWith(by)

/** Ends the session of this browser, and removes its data. */
export const signOutHere = (): Promise<void> => flow.signOutHere()

/** The sign-in state, updated when it changes. */
export const useSignInState = (): SignInState => useSyncExternalStore(flow.subscribe, () => flow.state)

/** The id of the signed-in user; null before that is known. */
export const useSignedInUser = (): string | null =>
  useSyncExternalStore(flow.subscribe, () => (flow.state.is === 'signed-in' ? flow.state.me.user : null))

const isUnconfirmed = (state: SignInState) =>
  state.is === 'hub-away' || (state.is === 'signed-in' && !state.isSure)

async function hubAnswer(asked: Promise<Me>): Promise<HubAnswer> {
  try {
    const me = signedInUser(await asked)
    return me ? { me } : { no: 'This is the key of a runner, and not of a user.' }
  } catch (error) {
    if (error instanceof Refusal && error.status < 500)
      return { no: sentence(error.message), why: whyRefused(error) }
    return 'no-answer'
  }
}

function whyRefused({ status, code }: Refusal): 'unknown' | 'revoked' | undefined {
  if (status !== 401) return undefined
  return code === 'token.revoked' ? 'revoked' : 'unknown'
}

function storeKey({ sessionKey: key, ...me }: SignedIn): Me {
  storeSessionKey(key)
  return me
}

const signedInUser = (me: Me): SignedInUser | null => ('user' in me ? me : null)

/** The hub's message up to the first semicolon. What follows is advice for command-line users. */
function sentence(message: string): string {
  const [first = ''] = message.split('; ')
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}.`
}
