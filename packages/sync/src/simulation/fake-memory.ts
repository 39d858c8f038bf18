import type { Memory, Remembered } from '../engine/memory.ts'
import type { Life, Scheduler } from './scheduler.ts'

type Note = Parameters<Memory['note']>[0]

const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

/** What a replica remembers across its lives. A note counts at once; a save happens as a whole, or not at all. */
export class FakeMemory {
  readonly #scheduler: Scheduler
  #whole: Omit<Remembered, 'agreements'> | null = null
  #notes: { nth: number; note: Note }[] = []
  #noted = 0
  #saves = 0
  #lastSaved = 0

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
        if (!life.isDead) this.#notes.push({ nth: this.#noted++, note: copy(what) })
        mayDie()
      },
      save: (whole) => {
        const before = this.#noted
        const number = ++this.#saves
        return this.#scheduler.act(life, `${life.name} writes everything down`, () => {
          if (number < this.#lastSaved) return
          this.#lastSaved = number
          // As late as a file is written: what the engine changes meanwhile must not get in.
          this.#whole = copy(whole)
          this.#notes = this.#notes.filter(({ nth }) => nth >= before)
        })
      },
    }
  }

  #remembered(): Remembered | null {
    if (!this.#whole) return null
    const notes = this.#notes.map(({ note }) => note)
    const agreements = notes.flatMap((note) => note.agreements ?? [])
    const position = notes.findLast((note) => note.position !== undefined)?.position
    const witness = notes.findLast((note) => note.witness)?.witness
    return copy({
      ...this.#whole,
      agreements,
      ...(position !== undefined && { position }),
      ...(witness && { witness }),
    })
  }
}
