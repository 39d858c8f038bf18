import { type Key, KeyReader } from './key-reader.ts'

/** By then the rest of an escape sequence has arrived. */
const escapeMs = 40
/** Longer than a pause within a paste on a slow connection. */
const pasteMs = 500

/** Calls `onKey` for each key, including those that only a pause tells apart. */
export class Keyboard {
  readonly #reader = new KeyReader()
  readonly #onKey: (key: Key) => void
  #waiting: NodeJS.Timeout | null = null

  constructor(onKey: (key: Key) => void) {
    this.#onKey = onKey
  }

  pressed(bytes: Uint8Array): void {
    this.close()
    for (const key of this.#reader.take(bytes)) this.#onKey(key)
    const { waitsFor } = this.#reader
    if (waitsFor === null) return
    const waited = () => {
      for (const key of this.#reader.waited()) this.#onKey(key)
    }
    this.#waiting = setTimeout(waited, waitsFor === 'key' ? escapeMs : pasteMs)
  }

  /** Drops an incomplete key. */
  close(): void {
    if (this.#waiting) clearTimeout(this.#waiting)
    this.#waiting = null
  }
}
