import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { Keychain } from './keychain.ts'

/** What is in the file of one hub: its token, or that the system keeps it. */
type TokenNote = ({ url: string; token: string } | { url: string; in: 'keychain' }) & {
  /** The user signed in there; without this the token only came with a link. */
  signedIn?: true
}

type AnyKeychain = Pick<Keychain, 'get' | 'set' | 'delete'>

/** Answers of the keychain: each question is slow, and one command asks the same several times. */
const asked = new Map<string, string | null>()

/**
 * The user's tokens for each hub: in the keychain of the system if it accepts them, else in files that only the user may
 * read. One file for each hub, so that two processes do not overwrite each other's tokens.
 */
export class HubTokens {
  readonly #root: string
  readonly #place: string
  readonly #keychain: AnyKeychain

  constructor(stateRoot: string, keychain: AnyKeychain = new Keychain()) {
    this.#root = path.resolve(stateRoot)
    this.#place = path.join(this.#root, 'account')
    this.#keychain = keychain
  }

  /** Null if there is none for this hub, or the keychain that has it does not answer. */
  of(url: string): string | null {
    const note = this.note(url)
    if (!note) return null
    if ('token' in note) return note.token
    const name = this.#nameOf(url)
    if (!asked.has(name)) asked.set(name, this.#keychain.get(name))
    return asked.get(name) ?? null
  }

  /** Written where it is safe at once; `moveToKeychain` is for when there is time. */
  keep(url: string, token: string, signsIn = false): void {
    const { signedIn } = this.note(url) ?? {}
    if (this.of(url) === token && (signedIn || !signsIn)) return
    this.#write({ url, token, ...((signedIn || signsIn) && { signedIn: true }) })
    asked.delete(this.#nameOf(url))
  }

  /** Deletes the token for this hub; returns whether there was one. */
  forget(url: string): boolean {
    const note = this.note(url)
    if (note && 'in' in note) this.#keychain.delete(this.#nameOf(url))
    asked.delete(this.#nameOf(url))
    rmSync(this.#fileOf(url), { force: true })
    return note !== null
  }

  /** The hubs that there is a token for. */
  urls(): string[] {
    const notes = namesIn(this.#place).map((name) => read(path.join(this.#place, name)))
    return notes.flatMap((note) => (note ? [note.url] : [])).sort()
  }

  /** Those of them that the user has signed in to. */
  signedIn(): string[] {
    return this.urls().filter((url) => this.note(url)?.signedIn)
  }

  /** Where the token for a hub is; null if there is none. */
  note(url: string): TokenNote | null {
    return read(this.#fileOf(url))
  }

  /** Whether a token is in a file, and not in the keychain. */
  areInFiles(): boolean {
    return this.urls().some((url) => 'token' in (this.note(url) ?? {}))
  }

  /** Moves tokens from their files into the keychain; a keychain that refuses the first one is not asked again. */
  moveToKeychain(): void {
    for (const url of this.urls()) {
      const note = this.note(url)
      if (!note || !('token' in note)) continue
      if (!this.#keychain.set(this.#nameOf(url), note.token)) return
      // The user may have signed in again meanwhile: the new token is in the file alone.
      const now = this.note(url)
      if (!now || !('token' in now) || now.token !== note.token) continue
      this.#write({ url, in: 'keychain', ...(now.signedIn && { signedIn: true }) })
    }
  }

  #write(note: TokenNote): void {
    mkdirSync(this.#place, { recursive: true, mode: 0o700 })
    const file = this.#fileOf(note.url)
    const draft = `${file}.${process.pid}.draft`
    writeFileSync(draft, `${JSON.stringify(note)}\n`, { mode: 0o600 })
    renameSync(draft, file)
  }

  #fileOf(url: string): string {
    return path.join(this.#place, `${shortHash(url, 24)}.json`)
  }

  // Two state folders may know the same address as two hubs.
  #nameOf(url: string): string {
    return `${url} ${shortHash(this.#root, 8)}`
  }
}

const shortHash = (text: string, letters: number) =>
  createHash('sha256').update(text).digest('hex').slice(0, letters)

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    // There is no account folder before the first sign-in.
    return []
  }
}

function read(file: string): TokenNote | null {
  try {
    const { url, token, in: where, signedIn } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof url !== 'string') return null
    const how = signedIn === true ? { signedIn: true as const } : {}
    if (typeof token === 'string') return { url, token, ...how }
    return where === 'keychain' ? { url, in: 'keychain', ...how } : null
  } catch {
    // Not there, or not ours.
    return null
  }
}
