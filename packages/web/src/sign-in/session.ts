import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { signIn, signOut, whoAmI } from '@farhand/client/resources/sessions'
import { Me } from '@farhand/protocol/schemas/api'
import type { SignedIn } from '@farhand/protocol/schemas/sessions'
import { paths } from '@farhand/protocol/wire/routes'
import { useSyncExternalStore } from 'react'
import { takenAhead } from '../early-requests/early-responses.ts'
import { whoWasHere } from '../early-requests/last-user.ts'
import { keepSessionKey, sessionKey } from '../early-requests/session-key.ts'
import { toast } from '../ui/toasts.ts'
import { forgetHere, leaveWordsHere, takeWordsHere, wordsOfHere } from './clear-browser-data.ts'
import { type Heard, type Here, type Somebody, Visit } from './sign-in-flow.ts'
import { addressWithoutKey, keyInAddress } from './sign-in-url.ts'

/** The hub that served this page; its cookie and the key that the page keeps speak for whoever is here. */
export const hubHere: Hub = {
  url: location.origin,
  sessionKey,
  async fetch(asked, init) {
    const answer = (await takenAhead(String(asked), init)) ?? (await fetch(asked, init))
    // Whoever was signed out elsewhere finds out with whatever they ask next, on whichever page they are.
    if (answer.status === 401 && !isAboutWho(String(asked))) void lookAgain()
    return answer
  },
}

const isAboutWho = (url: string) => [paths.me(), paths.signIn()].some((path) => url.endsWith(path))

const once = { patienceMs: 0, answerMs: 10_000 }
const againMs = 5000

const visit = new Visit({
  whoAmI: () => heard(whoAmI(hubHere, once)),
  signIn: (by) => heard(signIn(hubHere, by, once).then(keptKey)),
  signOut: () => signOut(hubHere, { ...once, patienceMs: 3000 }),
  forget: (user) => forgetHere(hubHere.url, user),
  leaveWords: (user) => leaveWordsHere(hubHere.url, user),
  wordsOf: wordsOfHere,
  leftUnused: ({ name }) => toast(`You were signed in already, as ${name}: the link was not used.`),
  remembered() {
    try {
      return somebody(Me.parse(JSON.parse(localStorage.getItem(whoWasHere) ?? 'null')))
    } catch {
      // Nobody, or what an older page has written.
      return null
    }
  },
  remember(me) {
    if (me) takeWordsHere()
    try {
      if (me) localStorage.setItem(whoWasHere, JSON.stringify(me))
      else localStorage.removeItem(whoWasHere)
    } catch {
      // A window that may keep nothing.
    }
  },
})

/** Looks who is here, and takes a key out of the address before anything else can see it there. */
export function beginVisit(): void {
  const key = keyInAddress(location.hash)
  if (key === null) void visit.look()
  else {
    history.replaceState(null, '', addressWithoutKey(location.pathname))
    void visit.enter(key)
  }
  addEventListener('online', () => void lookAgain())
  setInterval(() => isInDoubt(visit.here) && void visit.look(), againMs)
}

/** To be called when the hub has refused somebody: they may have been signed out elsewhere. */
export const lookAgain = (): Promise<void> => visit.look()

export const signInWith = (code: string): Promise<void> => visit.enter({ code })

/** Ends the session of this browser, and leaves nothing of them in it. */
export const leave = (): Promise<void> => visit.leave()

/** Who is here, now and whenever that changes. */
export const useHere = (): Here => useSyncExternalStore(visit.listen, () => visit.here)

const isInDoubt = (here: Here) => here.is === 'silent' || (here.is === 'in' && !here.isSure)

async function heard(asked: Promise<Me>): Promise<Heard> {
  try {
    const me = somebody(await asked)
    return me ? { me } : { no: 'This is the key of a runner, and not of a person.' }
  } catch (error) {
    if (error instanceof Refusal && error.status < 500)
      return { no: sentence(error.message), why: whyOut(error) }
    return 'silence'
  }
}

function whyOut({ status, code }: Refusal): 'unknown' | 'revoked' | undefined {
  if (status !== 401) return undefined
  return code === 'token.revoked' ? 'revoked' : 'unknown'
}

function keptKey({ sessionKey: key, ...me }: SignedIn): Me {
  keepSessionKey(key)
  return me
}

const somebody = (me: Me): Somebody | null => ('user' in me ? me : null)

/** What the hub advises after a semicolon stands on the page, in the words of a page. */
function sentence(message: string): string {
  const [first = ''] = message.split('; ')
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}.`
}
