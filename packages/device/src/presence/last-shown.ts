import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RunId } from '@farhand/protocol/wire/ids'

const mostRuns = 300
const everyMs = 500

/** The last event of a run that this machine has shown to its user. If it is lost, events are only shown once more. */
export class LastShown {
  readonly #folder: string
  readonly #file: string
  readonly #now: () => number
  #savedAt = Number.NEGATIVE_INFINITY
  #unsaved: number | null = null

  constructor(stateRoot: string, run: RunId, now: () => number = Date.now) {
    this.#now = now
    this.#folder = path.join(stateRoot, 'looked')
    this.#file = path.join(this.#folder, run)
  }

  /** Null if this machine has never shown the run. */
  get eventId(): number | null {
    try {
      const id = Number(readFileSync(this.#file, 'utf8'))
      return Number.isSafeInteger(id) && id > 0 ? id : null
    } catch {
      return null
    }
  }

  /**
   * Notes an event that was shown. It is saved within half a second, because the terminal can be closed at any time.
   */
  shown(eventId: number): void {
    this.#unsaved = eventId
    if (this.#now() - this.#savedAt > everyMs) this.save()
  }

  save(): void {
    if (this.#unsaved === null) return
    this.#savedAt = this.#now()
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      if (this.eventId === null) this.#forgetOldest()
      const draft = `${this.#file}.${process.pid}`
      writeFileSync(draft, String(this.#unsaved), { mode: 0o600 })
      renameSync(draft, this.#file)
      this.#unsaved = null
    } catch {
      // A full disk must not end the command that shows the run.
    }
  }

  #forgetOldest(): void {
    const names = readdirSync(this.#folder)
    if (names.length < mostRuns) return
    const files = names.map((name) => path.join(this.#folder, name))
    const age = new Map(files.map((file) => [file, statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0]))
    files.sort((a, b) => age.get(a)! - age.get(b)!)
    for (const file of files.slice(0, names.length - mostRuns + 1)) rmSync(file, { force: true })
  }
}
