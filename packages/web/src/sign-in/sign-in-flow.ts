import type { Me } from '@farhand/protocol/schemas/api'
import type { SignInRequest } from '@farhand/protocol/schemas/sessions'
import type { UserId } from '@farhand/protocol/wire/ids'

export type SignedInUser = Extract<Me, { user: unknown }>

/** Who is here, as far as this page knows. */
export type SignInState =
  | { is: 'looking' }
  /** Not `isSure`: the hub is silent, and this is who was here last; what is kept in the browser is theirs. */
  | { is: 'in'; me: SignedInUser; isSure: boolean }
  | { is: 'out'; why: string | null }
  /** The hub is silent, and nobody was here before. */
  | { is: 'silent' }

/** Why signedInUser is out who did not sign out here: else it looks as if the app had forgotten them. */
export const signedOutElsewhere = 'This device was signed out from elsewhere.'
export const signedOutByItself =
  'You are no longer signed in here. What you wrote and did not send is kept for when you are back.'

/** What the hub said to a question: an answer, a no in words, or nothing. */
export type HubAnswer = { me: SignedInUser } | No | 'silence'
/** `unknown`: it knows nobody by what this browser has; `revoked`: signedInUser took that away. All else may be another day's weather. */
type No = { no: string; why?: 'unknown' | 'revoked' | undefined }

export type SignInPorts = {
  whoAmI(): Promise<HubAnswer>
  signIn(by: SignInRequest): Promise<HubAnswer>
  /** Rejects if the hub could not be told: then they are still signed in. */
  signOut(me: SignedInUser): Promise<void>
  remembered(): SignedInUser | null
  /** Of whoever is here nothing has to be left any more: they have their words back. */
  remember(me: SignedInUser | null): void
  /** Leaves nothing of theirs in this browser; what is on the page is forgotten before this returns. */
  forget(user: UserId): Promise<void>
  /** Leaves what they wrote and did not send, and nothing else of theirs. */
  clearAllButDrafts(user: UserId): Promise<void>
  /** Whose words were left here. */
  draftsOwner(): UserId | null
  /** They came with a key, and were in already. */
  keyUnused(me: SignedInUser): void
}

/** A visit of signedInUser: it begins with a look at who they are, and may end before the page does. */
export class SignInFlow {
  readonly #ports: SignInPorts
  readonly #listeners = new Set<() => void>()
  #here: SignInState = { is: 'looking' }
  /** A key that the hub has not answered to yet: it is tried again, and not lost with the address. */
  #key: SignInRequest | null = null
  #asking: Promise<void> | null = null

  constructor(ports: SignInPorts) {
    this.#ports = ports
  }

  get here(): SignInState {
    return this.#here
  }

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Signs in with this. Whoever is in already stays who they are: anybody can send a link, also one that leads into their own account. */
  async enter(key: SignInRequest): Promise<void> {
    // A look that is under way knows nothing of the key.
    await this.#asking
    this.#key = key
    await this.look()
  }

  /** Looks who is here: at the beginning, when the hub was silent, and when it has refused signedInUser. */
  look(): Promise<void> {
    this.#asking ??= this.#look().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async signOutHere(): Promise<void> {
    const me = this.#me
    // Before the hub knows it: by that other tabs tell this from a session that has ended by itself, and signOutHere nothing either.
    this.#ports.remember(null)
    try {
      if (me) await this.#ports.signOut(me)
    } catch (error) {
      this.#ports.remember(me)
      throw error
    }
    this.#become({ is: 'out', why: null })
    // Only now: what is on the page would keep something again.
    if (me) await this.#ports.forget(me.user)
  }

  async #look(): Promise<void> {
    const who = await this.#ports.whoAmI()
    if (isSignedIn(who)) {
      if (this.#key) this.#ports.keyUnused(who.me)
      this.#key = null
      return this.#becomeSignedIn(who.me)
    }
    const tried = this.#key && (await this.#ports.signIn(this.#key))
    if (isSignedIn(tried)) {
      this.#key = null
      return this.#becomeSignedIn(tried.me)
    }
    if (who === 'silence' || tried === 'silence') return this.#become(this.#withoutHub())
    const before = this.#ports.remembered()
    // A gateway on the way may say anything while the hub is away; only the hub itself says who is not known.
    if (before && !tried && !who.why) return this.#become(this.#withoutHub())
    this.#key = null
    await this.#becomeSignedOut(before, who.why, tried ? tried.no : null)
  }

  async #becomeSignedOut(before: SignedInUser | null, ended: No['why'], why: string | null): Promise<void> {
    const me = this.#me
    const left = this.#ports.draftsOwner()
    // Another tab of this browser has signed out by hand: it left nobody's words.
    const isOutByHand = me !== null && before === null && left === null
    const isAllForgotten = ended === 'revoked' || isOutByHand
    // Otherwise nobody has said that they are out; and what they wrote would be nobody's, and shown to whoever comes next.
    if (ended) this.#ports.remember(null)
    const said = ended === 'revoked' ? signedOutElsewhere : signedOutByItself
    this.#become({ is: 'out', why: why ?? (before ? said : null) })
    const user = before?.user ?? left ?? me?.user
    // They were signed out by signedInUser, maybe because this device is not in their hands any more.
    if (isAllForgotten && user) await this.#ports.forget(user)
    else if (before && ended) await this.#ports.clearAllButDrafts(before.user)
  }

  #becomeSignedIn(me: SignedInUser): void {
    // Also of who was here last, if their session has ended and nobody noticed until signedInUser else came with a key.
    const left = this.#ports.draftsOwner() ?? this.#ports.remembered()?.user ?? null
    // Not waited for: only what is on this page has to be gone before they see it.
    if (left !== null && left !== me.user) void this.#ports.forget(left)
    this.#ports.remember(me)
    this.#become({ is: 'in', me, isSure: true })
  }

  get #me(): SignedInUser | null {
    return this.#here.is === 'in' ? this.#here.me : null
  }

  #withoutHub(): SignInState {
    const me = this.#ports.remembered()
    return me === null ? { is: 'silent' } : { is: 'in', me, isSure: false }
  }

  #become(here: SignInState): void {
    this.#here = here
    for (const listener of this.#listeners) listener()
  }
}

const isSignedIn = (heard: HubAnswer | null): heard is { me: SignedInUser } =>
  typeof heard === 'object' && heard !== null && 'me' in heard
