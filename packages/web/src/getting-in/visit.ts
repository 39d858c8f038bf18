import type { Me } from '@farhand/protocol/api'
import type { SignInRequest } from '@farhand/protocol/sessions'

export type Somebody = Extract<Me, { user: unknown }>

/** Who is here, as far as this page knows. */
export type Here =
  | { is: 'looking' }
  /** Not `isSure`: the hub is silent, and this is who was here last; what is kept in the browser is theirs. */
  | { is: 'in'; me: Somebody; isSure: boolean }
  | { is: 'out'; why: string | null }
  /** The hub is silent, and nobody was here before. */
  | { is: 'silent' }

/** What the hub said to a question: an answer, a no in words, or nothing. */
export type Heard = { me: Somebody } | { no: string } | 'silence'

export type VisitPorts = {
  whoAmI(): Promise<Heard>
  signIn(by: SignInRequest): Promise<Heard>
  /** Rejects if the hub could not be told: then they are still signed in. */
  signOut(me: Somebody): Promise<void>
  remembered(): Somebody | null
  remember(me: Somebody | null): void
}

/** A visit of somebody: it begins with a look at who they are, and may end before the page does. */
export class Visit {
  readonly #ports: VisitPorts
  readonly #listeners = new Set<() => void>()
  #here: Here = { is: 'looking' }
  /** A key that the hub has not answered to yet: it is tried again, and not lost with the address. */
  #key: SignInRequest | null = null
  #asking: Promise<void> | null = null

  constructor(ports: VisitPorts) {
    this.#ports = ports
  }

  get here(): Here {
    return this.#here
  }

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Signs in with this. Whoever follows a used link and is signed in already is simply in. */
  async enter(key: SignInRequest): Promise<void> {
    // A look that is under way knows nothing of the key.
    await this.#asking
    this.#key = key
    await this.look()
  }

  /** Looks who is here: at the beginning, when the hub was silent, and when it has refused somebody. */
  look(): Promise<void> {
    this.#asking ??= this.#look().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async leave(): Promise<void> {
    if (this.#here.is === 'in') await this.#ports.signOut(this.#here.me)
    this.#ports.remember(null)
    this.#become({ is: 'out', why: null })
  }

  async #look(): Promise<void> {
    const tried = this.#key && (await this.#ports.signIn(this.#key))
    if (tried !== 'silence') this.#key = null
    const heard = tried && typeof tried === 'object' && 'me' in tried ? tried : await this.#ports.whoAmI()
    if (heard === 'silence') return this.#become(this.#inSilence())
    if ('me' in heard) {
      this.#ports.remember(heard.me)
      return this.#become({ is: 'in', me: heard.me, isSure: true })
    }
    this.#ports.remember(null)
    this.#become({ is: 'out', why: tried && typeof tried === 'object' && 'no' in tried ? tried.no : null })
  }

  #inSilence(): Here {
    const me = this.#ports.remembered()
    return me === null ? { is: 'silent' } : { is: 'in', me, isSure: false }
  }

  #become(here: Here): void {
    this.#here = here
    for (const listener of this.#listeners) listener()
  }
}
