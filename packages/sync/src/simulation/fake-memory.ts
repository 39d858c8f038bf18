import type { Memory, Remembered } from '../engine/memory.ts'
import type { Life, Scheduler } from './scheduler.ts'

type Note = Parameters<Memory['note']>[0]

const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

/** What a replica remembers across its lives. A note counts at once; a save happens as a whole, or not at all. */
export class FakeMemory {
  readonly #scheduler: Scheduler
  #whole: Omit<Remembered, 'agreements'> | null = null
  #notes: Note[] = []

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  /** Whether folder and run have met. */
  get hasMet(): boolean {
    return this.#whole !== null
  }

  /** What is remembered is deleted. The folder's device id is stored elsewhere. */
  lose(): void {
    this.#whole = null
    this.#notes = []
  }

  port(life: Life, mayDie: () => void): Memory {
    return {
      load: () => this.#scheduler.act(life, `${life.name} remembers`, () => this.#remembered()),
      note: (what) => {
        mayDie()
        if (!life.isDead) this.#notes.push(copy(what))
        mayDie()
      },
      save: (whole) => {
        const kept = copy(whole)
        const before = this.#notes.length
        return this.#scheduler.act(life, `${life.name} writes everything down`, () => {
          this.#whole = kept
          this.#notes = this.#notes.slice(before)
        })
      },
    }
  }

  #remembered(): Remembered | null {
    if (!this.#whole) return null
    const agreements = this.#notes.flatMap((note) => note.agreements ?? [])
    const position = this.#notes.findLast((note) => note.position !== undefined)?.position
    return copy({ ...this.#whole, agreements, ...(position !== undefined && { position }) })
  }
}
