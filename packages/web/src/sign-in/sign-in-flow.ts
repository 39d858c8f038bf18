import type { Me } from '@farhand/protocol/schemas/api'
import type { SignInRequest } from '@farhand/protocol/schemas/sessions'
import type { UserId } from '@farhand/protocol/wire/ids'

export type SignedInUser = Extract<Me, { user: unknown }>

/** The sign-in state of this page. */
export type SignInState =
  | { is: 'checking' }
  /** Not `isSure`: the hub does not answer, so this is the last user of this browser; the stored data is theirs. */
  | { is: 'signed-in'; me: SignedInUser; isSure: boolean }
  | { is: 'signed-out'; why: string | null }
  /** The hub does not answer, and this browser has no last user. */
  | { is: 'hub-away' }

/** Tells the user why they are signed out, or it would look like an error of the app. */
export const signedOutElsewhere = 'This device was signed out from elsewhere.'
export const signedOutByItself =
  'You are no longer signed in here. Your unsent drafts are kept until you sign in again.'

/** What the hub answered: a user, a refusal with a message, or nothing. */
export type HubAnswer = { me: SignedInUser } | Refused | 'no-answer'
/**
 * `unknown`: the hub does not know this session; `revoked`: the session was ended from another device. Any other
 * refusal may be temporary.
 */
type Refused = { no: string; why?: 'unknown' | 'revoked' | undefined }

export type SignInPorts = {
  whoAmI(): Promise<HubAnswer>
  signIn(by: SignInRequest): Promise<HubAnswer>
  /** Rejects if the hub cannot be reached: then the user is still signed in. */
  signOut(me: SignedInUser): Promise<void>
  remembered(): SignedInUser | null
  /** Stores the last user. Their drafts need no owner any more. */
  remember(me: SignedInUser | null): void
  /** Removes all data of the user from this browser; data on the page is gone before this returns. */
  forget(user: UserId): Promise<void>
  /** Removes all data of the user except unsent drafts. */
  clearAllButDrafts(user: UserId): Promise<void>
  /** The user whose drafts are stored here. */
  draftsOwner(): UserId | null
  /** A signed-in user opened a sign-in link, which was not used. */
  keyUnused(me: SignedInUser): void
}

/** Signs a user in and out on this page. It starts by asking the hub who is signed in. */
export class SignInFlow {
  readonly #ports: SignInPorts
  readonly #listeners = new Set<() => void>()
  #state: SignInState = { is: 'checking' }
  /** A key that the hub has not answered yet: it is kept for a retry, because it is no longer in the address. */
  #key: SignInRequest | null = null
  #asking: Promise<void> | null = null

  constructor(ports: SignInPorts) {
    this.#ports = ports
  }

  get state(): SignInState {
    return this.#state
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Signs in with this key. A signed-in user stays signed in: an attacker can send a link that leads into the
   * attacker's account.
   */
  async signInWith(key: SignInRequest): Promise<void> {
    // A check that is already running does not use the key.
    await this.#asking
    this.#key = key
    await this.check()
  }

  /** Asks the hub who is signed in: at the start, when the hub did not answer, and when the hub refused a request. */
  check(): Promise<void> {
    this.#asking ??= this.#check().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async signOutHere(): Promise<void> {
    const me = this.#me
    // Before the hub knows it: other tabs tell from this that the user signed out, and remove all data as well.
    this.#ports.remember(null)
    try {
      if (me) await this.#ports.signOut(me)
    } catch (error) {
      this.#ports.remember(me)
      throw error
    }
    this.#setState({ is: 'signed-out', why: null })
    // Only now: before, components on the page could store something again.
    if (me) await this.#ports.forget(me.user)
  }

  async #check(): Promise<void> {
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
    if (who === 'no-answer' || tried === 'no-answer') return this.#setState(this.#withoutHub())
    const before = this.#ports.remembered()
    // While the hub is away, a proxy may answer anything; only the hub itself says that a session is unknown.
    if (before && !tried && !who.why) return this.#setState(this.#withoutHub())
    this.#key = null
    await this.#becomeSignedOut(before, who.why, tried ? tried.no : null)
  }

  async #becomeSignedOut(
    before: SignedInUser | null,
    ended: Refused['why'],
    why: string | null,
  ): Promise<void> {
    const me = this.#me
    const left = this.#ports.draftsOwner()
    // Another tab has signed out by hand: then no drafts are kept.
    const isOutByHand = me !== null && before === null && left === null
    const isAllCleared = ended === 'revoked' || isOutByHand
    // Otherwise the hub has not said that the session ended; and without an owner, the next user would see these drafts.
    if (ended) this.#ports.remember(null)
    const said = ended === 'revoked' ? signedOutElsewhere : signedOutByItself
    this.#setState({ is: 'signed-out', why: why ?? (before ? said : null) })
    const user = before?.user ?? left ?? me?.user
    // The session was revoked, maybe because the device was lost.
    if (isAllCleared && user) await this.#ports.forget(user)
    else if (before && ended) await this.#ports.clearAllButDrafts(before.user)
  }

  #becomeSignedIn(me: SignedInUser): void {
    // Also data of the last user, if their session ended unnoticed before another user signed in.
    const left = this.#ports.draftsOwner() ?? this.#ports.remembered()?.user ?? null
    // Do not wait: only the data on this page has to be gone before the user sees it.
    if (left !== null && left !== me.user) void this.#ports.forget(left)
    this.#ports.remember(me)
    this.#setState({ is: 'signed-in', me, isSure: true })
  }

  get #me(): SignedInUser | null {
    return this.#state.is === 'signed-in' ? this.#state.me : null
  }

  #withoutHub(): SignInState {
    const me = this.#ports.remembered()
    return me === null ? { is: 'hub-away' } : { is: 'signed-in', me, isSure: false }
  }

  #setState(state: SignInState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

const isSignedIn = (hubAnswer: HubAnswer | null): hubAnswer is { me: SignedInUser } =>
  typeof hubAnswer === 'object' && hubAnswer !== null && 'me' in hubAnswer
