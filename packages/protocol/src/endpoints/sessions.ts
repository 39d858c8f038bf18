import { z } from 'zod'
import { SignInWays } from '../schemas/accounts.ts'
import { Ok } from '../schemas/api.ts'
import { SessionName, SessionPage, SignedIn, SignInCode, SignInRequest } from '../schemas/sessions.ts'
import type { SessionId } from '../wire/ids.ts'
import { paths } from '../wire/routes.ts'
import { type Endpoint, json } from './endpoint.ts'

/** How browsers sign in, and how sessions are ended (W47). */
export const sessions = {
  postSignInCode: {
    method: 'POST',
    path: paths.signInCodes(),
    summary: 'Make a code that signs one browser in as this user (W47)',
    who: 'user',
    answers: { 201: { says: 'The code', bodies: json(SignInCode) } },
  },
  getSignIn: {
    method: 'GET',
    path: paths.signIn(),
    summary: 'How a browser may sign in over this connection (W72)',
    who: 'anyone',
    answers: { 200: { says: 'The ways besides code and token', bodies: json(SignInWays) } },
  },
  postSignIn: {
    method: 'POST',
    path: paths.signIn(),
    summary:
      'Exchange a code, a token or a password for a session: half in a cookie, half in the answer (W47)',
    who: 'anyone',
    body: json(SignInRequest),
    answers: { 200: { says: 'Signed in', bodies: json(SignedIn) } },
    faults: [
      'token.invalid',
      'token.revoked',
      'token.expired',
      'token.too-often',
      'code.invalid',
      'code.too-often',
      'password.wrong',
      'password.too-often',
      'https.required',
      'hub.busy',
    ],
  },
  postSignOut: {
    method: 'POST',
    path: paths.signOut(),
    summary: 'End the session of the cookie, and delete the cookie (W47)',
    who: 'anyone',
    answers: { 200: { says: 'Signed out', bodies: json(z.object({})) } },
  },
  getSessions: {
    method: 'GET',
    path: paths.sessions(),
    summary: 'List the sessions of this user (W47)',
    who: 'user',
    answers: { 200: { says: 'All of them, on one page', bodies: json(SessionPage) } },
  },
  putSessionName: {
    method: 'PUT',
    path: paths.sessionName('{session}' as SessionId),
    summary: 'Rename a session (W47)',
    who: 'user',
    body: json(SessionName),
    answers: { 200: { says: 'Renamed', bodies: json(Ok) } },
    faults: ['session.unknown', 'request.too-large', 'request.unsupported-type'],
  },
  deleteSession: {
    method: 'DELETE',
    path: paths.session('{session}' as SessionId),
    summary: 'End a session and its open streams (W47)',
    who: 'user',
    answers: { 200: { says: 'Ended', bodies: json(Ok) } },
    faults: ['session.unknown'],
  },
} as const satisfies Record<string, Endpoint>
