import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { firstLookFile, readFirstLook } from '../../state/first-look-memory.ts'
import { onFileChange } from '../../state/on-file-change.ts'
import { parentOf } from '../workspace/path-parts.ts'

/**
 * Why a file stays on this device until the user says that it may be sent: a rule that came from the run would include it,
 * or it looks as if it held a secret.
 */
export type WithheldWhy = 'newly-included' | 'looks-secret'

const lookMs = 1_000
// A folder with more files than this is held back as a whole, new files in it too.
export const mostOfAFolder = 1_000

/**
 * The files of a folder that wait for the user's consent. They are on disk, so that no restart sends them, and in the place
 * of the folder, not of a run: linked to another run, the folder holds the same files back. Only `farhand allow` releases
 * one, through the file of the first look.
 */
export class WithheldFiles {
  readonly #place: string | null
  readonly #files = new Map<string, WithheldWhy>()
  #allowed: ReadonlySet<string> = new Set()
  #onConsent: (released: string[]) => void = () => {}
  #stopWatching: (() => void) | null = null

  /** `place` is what the device remembers of this folder; null for a folder that holds nothing back, as a sandbox's. */
  constructor(place: string | null) {
    this.#place = place
    if (place === null) return
    this.#allowed = new Set(readFirstLook(place).allowed)
    for (const [path, why] of readWithheld(place)) if (!this.#isAllowed(path)) this.#files.set(path, why)
  }

  get isUsed(): boolean {
    return this.#place !== null
  }

  /** Why this path is held back, by itself or with a folder that it lies in; null if it is not. */
  why(path: string): WithheldWhy | null {
    if (this.#files.size === 0) return null
    const why = this.#files.get(path)
    if (why) return why
    for (let folder = path; folder !== ''; folder = parentOf(folder)) {
      const whole = this.#files.get(`${folder}/`)
      if (whole) return whole
    }
    return null
  }

  /** Holds these back from now on, a folder if its path ends in a slash. Throws if that cannot be written down. */
  add(paths: Iterable<string>, why: WithheldWhy): void {
    if (this.#place === null) return
    const before = this.#files.size
    for (const path of paths) if (!this.#files.has(path) && !this.#isAllowed(path)) this.#files.set(path, why)
    if (this.#files.size === before) return
    this.#save()
    this.#watch()
  }

  /** What is at these paths came from the run, or went there before: there is nothing to hold back. */
  forget(paths: readonly string[]): void {
    if (paths.filter((path) => this.#files.delete(path)).length > 0) this.#save()
  }

  /** Tells from now on which paths the user has allowed meanwhile. */
  onConsent(tell: (released: string[]) => void): void {
    this.#onConsent = tell
    this.#watch()
  }

  /** Whether the user said that this path may be sent, or a folder that it lies in. */
  #isAllowed(path: string): boolean {
    if (this.#allowed.size === 0) return false
    if (this.#allowed.has(path)) return true
    for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder))
      if (this.#allowed.has(`${folder}/`)) return true
    return false
  }

  close(): void {
    this.#stopWatching?.()
    this.#stopWatching = null
  }

  // The answer is written by another process. Looking once a second costs nothing, and only while something waits.
  #watch(): void {
    if (this.#stopWatching || this.#place === null || this.#files.size === 0) return
    this.#stopWatching = onFileChange(firstLookFile(this.#place), lookMs, () => this.#look())
  }

  #look(): void {
    this.#allowed = new Set(readFirstLook(this.#place!).allowed)
    const released = [...this.#files.keys()].filter((path) => this.#isAllowed(path))
    if (released.length === 0) return
    for (const path of released) this.#files.delete(path)
    this.#save()
    this.#onConsent(released)
  }

  #save(): void {
    const file = withheldFile(this.#place!)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify(Object.fromEntries(this.#files))}\n`, { mode: 0o600, flush: true })
    renameSync(draft, file)
  }
}

/** What a folder that remembers its decisions here holds back, and why. */
export function readWithheld(place: string): Map<string, WithheldWhy> {
  const withheld = new Map<string, WithheldWhy>()
  let text: string
  try {
    text = readFileSync(withheldFile(place), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return withheld
  }
  for (const [path, why] of Object.entries(parsed(text, place)))
    withheld.set(path, why === 'looks-secret' ? why : 'newly-included')
  return withheld
}

// One that is damaged must not count as empty: then everything in it would be sent.
function parsed(text: string, place: string): object {
  try {
    return JSON.parse(text) as object
  } catch (cause) {
    const says = `${withheldFile(place)} is damaged. It names files that must not be sent without your consent.`
    throw new Error(`${says} Unlink the folder and link it again: then all of its files are checked again.`, {
      cause,
    })
  }
}

export const withheldFile = (place: string) => `${place}/withheld.json`
