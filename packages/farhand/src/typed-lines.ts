import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Terminal } from './ask-person.ts'

/** Enough for what lies in a terminal's buffer to arrive. */
const drainMs = 30

/** What a person types at a terminal that keeps each line to itself until Enter. */
export class TypedLines {
  readonly #input: Terminal['input']
  /** Whether the last that came was not the end of a line. */
  #isBegun = false

  constructor(input: Terminal['input']) {
    this.#input = input
  }

  /** Every line from now on, until the input ends. */
  async *lines(signal: AbortSignal): AsyncGenerator<string> {
    const input = this.#input
    const note = (keys: Buffer | string) => {
      this.#isBegun = !/[\r\n]$/.test(keys.toString())
    }
    // Not as a terminal: then it would take Ctrl-C for itself.
    const lines = createInterface({ input, terminal: false, signal })
    input.on('data', note)
    try {
      yield* lines
    } finally {
      input.off('data', note)
      lines.close()
      // Else the process would wait for more, for ever.
      input.pause()
    }
  }

  /** Whether a line is begun that Enter has not ended; for those who read the lines. */
  async isTyping(): Promise<boolean> {
    const input = this.#input
    // Else the terminal would tell of it only with its Enter. What it hands over now stays the beginning of that line.
    input.setRawMode?.(true)
    try {
      await sleep(drainMs)
    } finally {
      input.setRawMode?.(false)
    }
    return this.#isBegun
  }
}
