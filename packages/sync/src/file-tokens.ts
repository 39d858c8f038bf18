import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TokenShelf } from './token-shelf.ts'

/** What is in the file of one hub: its token, or that the system keeps it. */
export type TokenNote = { url: string; token: string } | { url: string; in: 'keychain' }

/** Tokens in files that only their owner may read, one for each hub so that two who write do not undo each other. */
export class FileTokens implements TokenShelf {
  readonly #place: string

  constructor(stateRoot: string) {
    this.#place = path.join(path.resolve(stateRoot), 'account')
  }

  of(url: string): string | null {
    const note = this.note(url)
    if (!note) return null
    if ('token' in note) return note.token
    throw new Error(`the token for ${url} is in the keychain, which nobody here can open`)
  }

  keep(url: string, token: string): void {
    const note = this.note(url)
    if (note && 'token' in note && note.token === token) return
    this.write({ url, token })
  }

  forget(url: string): boolean {
    const isKnown = this.note(url) !== null
    rmSync(this.#fileOf(url), { force: true })
    return isKnown
  }

  urls(): string[] {
    const notes = namesIn(this.#place).map((name) => read(path.join(this.#place, name)))
    return notes.flatMap((note) => (note ? [note.url] : [])).sort()
  }

  note(url: string): TokenNote | null {
    return read(this.#fileOf(url))
  }

  protected write(note: TokenNote): void {
    mkdirSync(this.#place, { recursive: true, mode: 0o700 })
    const file = this.#fileOf(note.url)
    const draft = `${file}.${process.pid}.draft`
    writeFileSync(draft, `${JSON.stringify(note)}\n`, { mode: 0o600 })
    renameSync(draft, file)
  }

  #fileOf(url: string): string {
    return path.join(this.#place, `${createHash('sha256').update(url).digest('hex').slice(0, 24)}.json`)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    // Nobody has signed in yet.
    return []
  }
}

function read(file: string): TokenNote | null {
  try {
    const { url, token, in: where } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof url !== 'string') return null
    if (typeof token === 'string') return { url, token }
    return where === 'keychain' ? { url, in: 'keychain' } : null
  } catch {
    // Not there, or not ours.
    return null
  }
}
