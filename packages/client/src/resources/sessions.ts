import { Me, Ok } from '@farhand/protocol/schemas/api'
import {
  type Session,
  SessionPage,
  SignedIn,
  SignInCode,
  type SignInRequest,
} from '@farhand/protocol/schemas/sessions'
import type { SessionId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { type CallOptions, call, callOnce } from '../requests/call.ts'
import { type Hub, jsonRequest } from '../requests/hub.ts'

const anything = { parse: (value: unknown) => value }

/** Makes a code with which one browser signs in as this user. A code that is not used expires. */
export function makeSignInCode(hub: Hub, options?: CallOptions): Promise<SignInCode> {
  return call(hub, { method: 'POST', path: paths.signInCodes() }, SignInCode, options)
}

/** Signs this browser in; the page keeps `sessionKey`. It is tried once: a code whose answer was lost is used up. */
export function signIn(hub: Hub, by: SignInRequest, options: CallOptions = {}): Promise<SignedIn> {
  return callOnce(hub, jsonRequest('POST', paths.signIn(), by), SignedIn, options)
}

/** Ends the session of this browser. */
export async function signOut(hub: Hub, options?: CallOptions): Promise<void> {
  await call(hub, { method: 'POST', path: paths.signOut() }, anything, options)
}

/** The user or runner that the hub takes the caller for. */
export function whoAmI(hub: Hub, options?: CallOptions): Promise<Me> {
  return call(hub, { path: paths.me() }, Me, options)
}

/** Where this user is signed in, the most recently used first. */
export async function listSessions(hub: Hub, options?: CallOptions): Promise<Session[]> {
  return (await call(hub, { path: paths.sessions() }, SessionPage, options)).items
}

/** Renames a session. Calling it twice is the same as once. */
export async function renameSession(
  hub: Hub,
  session: SessionId,
  name: string,
  options?: CallOptions,
): Promise<void> {
  await call(hub, jsonRequest('PUT', paths.sessionName(session), { name }), Ok, options)
}

/** Ends a session. If the answer is lost and it is asked again, the hub knows none of that id. */
export async function endSession(hub: Hub, session: SessionId, options?: CallOptions): Promise<void> {
  await call(hub, { method: 'DELETE', path: paths.session(session) }, Ok, options)
}
