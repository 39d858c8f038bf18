import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Terminal } from './ask-person.ts'

/** Enough for what lies in a terminal's buffer to arrive. */
const drainMs = 30
const ctrlC = 3

/** What a person types at a terminal that keeps each line to itself until Enter. */
export class TypedLines {
  readonly #input: Terminal['input']
  readonly #interrupt: () => void
  /** Whether the last that came was not the end of a line. */
  #isBegun = false

  constructor(input: Terminal['input'], interrupt: () => void) {
    this.#input = input
    this.#interrupt = interrupt
  }

  /** Every line from now on, until the input ends. */
  async *lines(signal: AbortSignal): AsyncGenerator<string> {
    const input = this.#input
    const text = new PassThrough()
    const take = (keys: Buffer | string) => {
      const kept = this.#withoutInterrupts(typeof keys === 'string' ? Buffer.from(keys) : keys)
      if (kept.length === 0) return
      this.#isBegun = !/[\r\n]$/.test(kept.toString())
      text.write(kept)
    }
    const end = () => text.end()
    // Not as a terminal: then it would take Ctrl-C for itself.
    const lines = createInterface({ input: text, terminal: false, signal })
    input.on('data', take)
    input.on('end', end)
    try {
      yield* lines
    } finally {
      input.off('data', take)
      input.off('end', end)
      lines.close()
      // Else the process would wait for more, for ever.
      input.pause()
    }
  }

  /** While it is looked whether somebody types, the terminal makes no signal of Ctrl-C; like one, it takes the line away. */
  #withoutInterrupts(keys: Buffer): Buffer {
    const at = keys.lastIndexOf(ctrlC)
    if (at === -1) return keys
    this.#interrupt()
    const lineEnd = Math.max(keys.lastIndexOf('\n', at), keys.lastIndexOf('\r', at))
    const before = keys.subarray(0, lineEnd + 1).filter((key) => key !== ctrlC)
    return Buffer.concat([before, keys.subarray(at + 1)])
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
