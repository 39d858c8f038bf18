import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Terminal } from './ask-person.ts'

/** Enough time for what is in the terminal's buffer to arrive. */
const drainMs = 30
const ctrlC = 3

/** The lines that the user types at a terminal that hands over each line at Enter. */
export class TypedLines {
  readonly #input: Terminal['input']
  readonly #interrupt: () => void
  /** Whether the user has begun a line and not ended it. */
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
    // With `terminal: true` readline would handle Ctrl-C itself.
    const lines = createInterface({ input: text, terminal: false, signal })
    input.on('data', take)
    input.on('end', end)
    try {
      yield* lines
    } finally {
      input.off('data', take)
      input.off('end', end)
      lines.close()
      // Else the process would not end.
      input.pause()
    }
  }

  /** In raw mode, in which `isTyping` looks, Ctrl-C is an input byte instead of a signal: it clears the line all the same. */
  #withoutInterrupts(keys: Buffer): Buffer {
    const at = keys.lastIndexOf(ctrlC)
    if (at === -1) return keys
    this.#interrupt()
    const lineEnd = Math.max(keys.lastIndexOf('\n', at), keys.lastIndexOf('\r', at))
    const before = keys.subarray(0, lineEnd + 1).filter((key) => key !== ctrlC)
    return Buffer.concat([before, keys.subarray(at + 1)])
  }

  /** Whether the user has begun a line and not pressed Enter; for callers of `lines`. */
  async isTyping(): Promise<boolean> {
    const input = this.#input
    // In its normal mode the terminal hands over a line only at Enter. What it hands over now is kept as the line's beginning.
    input.setRawMode?.(true)
    try {
      await sleep(drainMs)
    } finally {
      input.setRawMode?.(false)
    }
    return this.#isBegun
  }
}
