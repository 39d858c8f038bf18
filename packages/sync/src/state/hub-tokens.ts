import { createHash } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { Keychain } from './keychain.ts'
import { lockState, type StateLock } from './lock-state.ts'

/** This computer as a bound device of a hub. */
export type BoundAs = {
  device: string
  name: string
  /** When the token ends. */
  expiresAt: string
}

/** What is in the file of one hub: its token, or that the system keeps it. A bound device has a refresh token, too. */
type TokenNote = ({ url: string; token: string; refresh?: string } | { url: string; in: 'keychain' }) & {
  /** The user signed in there; without this the token only came with a link. */
  signedIn?: true
  bound?: BoundAs
}

/** A renewal waits for the hub for less; a thread that was ended during one releases nothing. */
const lockDeadMs = 20_000

type AnyKeychain = Pick<Keychain, 'get' | 'set' | 'delete'>

/** Answers of the keychain: each question is slow, and one command asks the same several times. */
const asked = new Map<string, { as: string; secret: string | null }>()

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

  /** Who renews, replaces or deletes the token for a hub holds this; links that only read it do not. */
  lock(url: string): StateLock {
    return lockState(path.join(this.#place, `${shortHash(url, 24)}.renewing`), false, lockDeadMs)
  }

  /** Null if there is none for this hub, or the keychain that has it does not answer. */
  of(url: string): string | null {
    const note = this.note(url)
    return note && (this.#secretOf(note)?.split(' ')[0] ?? null)
  }

  /** The refresh token of this device at a hub; null if it is not bound there. */
  refreshOf(url: string): string | null {
    const note = this.note(url)
    return (note && this.#secretOf(note)?.split(' ')[1]) ?? null
  }

  /** As what this computer is bound to a hub; null if it is not. */
  boundAs(url: string): BoundAs | null {
    return this.note(url)?.bound ?? null
  }

  /**
   * Written where it is safe at once; `moveToKeychain` is for when there is time. A bound device's tokens are only replaced by signing
   * in: a link may still remember the token from before a refresh.
   */
  keep(url: string, token: string, signsIn = false): void {
    const { signedIn, bound } = this.note(url) ?? {}
    if (bound && !signsIn) return
    if (this.of(url) === token && !bound && (signedIn || !signsIn)) return
    this.#write({ url, token, ...((signedIn || signsIn) && { signedIn: true }) })
    asked.delete(this.#nameOf(url))
  }

  /** Stores the tokens of a bound device; when it returns, they survive a crash. */
  keepBound(url: string, { token, refresh }: { token: string; refresh: string }, bound: BoundAs): void {
    this.#write({ url, token, refresh, signedIn: true, bound })
    asked.delete(this.#nameOf(url))
  }

  /** The token, for a bound device followed by its refresh token: tokens have no spaces. */
  #secretOf(note: TokenNote): string | null {
    if ('token' in note) return note.refresh === undefined ? note.token : `${note.token} ${note.refresh}`
    const name = this.#nameOf(note.url)
    // Another process may have renewed them since.
    const as = `${name} ${note.bound?.expiresAt ?? ''}`
    const known = asked.get(name)
    if (known?.as === as) return known.secret
    const secret = this.#keychain.get(name)
    asked.set(name, { as, secret })
    return secret
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

  /**
   * Moves tokens from their files into the keychain; a keychain that refuses the first one is not asked again. One whose lock is held
   * stays where it is until the next time, unless the caller holds it: then it is `held`.
   */
  moveToKeychain(held: string | null = null): void {
    for (const url of this.urls()) {
      if (!this.areInFiles()) return
      const lock = url === held ? null : this.lock(url)
      if (lock && 'holder' in lock) continue
      try {
        if (!this.#moveOne(url)) return
      } finally {
        lock?.release()
      }
    }
  }

  /** False if the keychain refuses it. */
  #moveOne(url: string): boolean {
    const note = this.note(url)
    if (!note || !('token' in note)) return true
    if (!this.#keychain.set(this.#nameOf(url), this.#secretOf(note)!)) return false
    // A link may have stored another token meanwhile: that is in the file alone.
    const now = this.note(url)
    if (!now || !('token' in now) || now.token !== note.token || now.refresh !== note.refresh) return true
    const { signedIn, bound } = now
    this.#write({ url, in: 'keychain', ...(signedIn && { signedIn }), ...(bound && { bound }) })
    return true
  }

  #write(note: TokenNote): void {
    mkdirSync(this.#place, { recursive: true, mode: 0o700 })
    const file = this.#fileOf(note.url)
    const draft = `${file}.${process.pid}.draft`
    writeFileSync(draft, `${JSON.stringify(note)}\n`, { mode: 0o600 })
    // A refresh token that is lost cannot be had again.
    syncToDisk(draft)
    renameSync(draft, file)
    syncToDisk(this.#place)
  }

  #fileOf(url: string): string {
    return path.join(this.#place, `${shortHash(url, 24)}.json`)
  }

  // Two state folders may know the same address as two hubs.
  #nameOf(url: string): string {
    return `${url} ${shortHash(this.#root, 8)}`
  }
}

function syncToDisk(place: string): void {
  // Windows cannot open a folder, and does not need this.
  if (process.platform === 'win32') return
  const open = openSync(place, 'r')
  try {
    fsyncSync(open)
  } finally {
    closeSync(open)
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
    const { url, token, refresh, in: where, signedIn, bound } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof url !== 'string') return null
    const how = { ...(signedIn === true && { signedIn: true as const }), ...asBound(bound) }
    if (typeof token === 'string')
      return { url, token, ...(typeof refresh === 'string' && { refresh }), ...how }
    return where === 'keychain' ? { url, in: 'keychain', ...how } : null
  } catch {
    // Not there, or not ours.
    return null
  }
}

function asBound(value: unknown): { bound?: BoundAs } {
  if (typeof value !== 'object' || value === null) return {}
  const { device, name, expiresAt } = value as Record<string, unknown>
  if (typeof device !== 'string' || typeof name !== 'string' || typeof expiresAt !== 'string') return {}
  return { bound: { device, name, expiresAt } }
}
