import { count } from '@farhand/device/wording/count'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'

/** A reason why files cannot be written here. `codes` are the system's error codes for it. */
export type WhyWaiting = {
  codes: readonly string[]
  says: string
  next: (files: number) => string
  over: string
}

/** How long waiting files are gathered before a line is printed: they fail one after the other. */
const gatherMs = 1_000
const mostNamed = 3

/** Prints once, not with every try, that files wait for one reason; and when that is over. */
export class WaitingFiles {
  readonly #why: WhyWaiting
  readonly #say: (line: string) => void
  readonly #waiting = new Set<string>()
  readonly #told = new Set<string>()
  #later: NodeJS.Timeout | null = null

  constructor(why: WhyWaiting, say: (line: string) => void) {
    this.#why = why
    this.#say = say
  }

  /** Takes a note; returns true if it needs no line of its own. */
  take(note: SyncNote): boolean {
    if (note.is === 'applied' && this.#waiting.delete(note.path) && this.#waiting.size === 0) this.#over()
    if (note.is === 'in-step' && this.#waiting.size > 0) this.#over()
    if (note.is !== 'trouble' || note.path === null) return false
    if (note.code === undefined || !this.#why.codes.includes(note.code)) return false
    this.#waiting.add(note.path)
    if (!this.#told.has(note.path))
      this.#later ??= setTimeout(() => {
        this.tell()
      }, gatherMs).unref()
    return true
  }

  /** Prints the waiting files, if some of them were not printed before. */
  tell(): void {
    if (this.#later) clearTimeout(this.#later)
    this.#later = null
    const waiting = [...this.#waiting]
    if (waiting.every((path) => this.#told.has(path))) return
    for (const path of waiting) this.#told.add(path)
    const { length } = waiting
    const some = waiting.slice(0, mostNamed).map(pathInWords).join(', ')
    const wait = `${count(length, 'file')} ${length === 1 ? 'waits' : 'wait'} (${some}${length > mostNamed ? ', ...' : ''})`
    this.#say(`! ${this.#why.says}: ${wait}. ${this.#why.next(length)}`)
  }

  #over(): void {
    this.#waiting.clear()
    if (this.#told.size > 0) this.#say(this.#why.over)
    this.#told.clear()
  }
}
