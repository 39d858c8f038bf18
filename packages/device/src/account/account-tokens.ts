import { createHash } from 'node:crypto'
import path from 'node:path'
import { FileTokens } from '@farhand/sync/file-tokens'
import type { Keychain } from './keychain.ts'

/** Tokens in the keychain of this system as far as that takes them, and else in files. */
export class AccountTokens extends FileTokens {
  readonly #keychain: Keychain | null
  readonly #suffix: string
  /** What the keychain has been asked for: once is slow enough. */
  readonly #asked = new Map<string, string | null>()

  constructor(stateRoot: string, keychain: Keychain | null) {
    super(stateRoot)
    this.#keychain = keychain
    // Two state folders may know the same address as two hubs.
    this.#suffix = createHash('sha256').update(path.resolve(stateRoot)).digest('hex').slice(0, 8)
  }

  override of(url: string): string | null {
    const note = this.note(url)
    if (!note) return null
    if ('token' in note) return note.token
    if (!this.#asked.has(url)) this.#asked.set(url, this.#keychain?.get(this.#nameOf(url)) ?? null)
    return this.#asked.get(url) ?? null
  }

  /** Written where it is safe at once; `moveToKeychain` is for when there is time. */
  override keep(url: string, token: string): void {
    const note = this.note(url)
    if (note && 'in' in note && this.of(url) === token) return
    super.keep(url, token)
    this.#asked.delete(url)
  }

  override forget(url: string): boolean {
    const note = this.note(url)
    if (note && 'in' in note) this.#keychain?.delete(this.#nameOf(url))
    this.#asked.delete(url)
    return super.forget(url)
  }

  /** Takes the tokens out of their files that the keychain takes; one that takes the first not is not asked again. */
  moveToKeychain(): void {
    for (const url of this.urls()) {
      const note = this.note(url)
      if (!note || !('token' in note)) continue
      if (!this.#keychain?.set(this.#nameOf(url), note.token)) return
      this.write({ url, in: 'keychain' })
    }
  }

  #nameOf(url: string): string {
    return `${url} ${this.#suffix}`
  }
}
