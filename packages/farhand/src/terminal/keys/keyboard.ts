import { type Key, KeyReader } from './key-reader.ts'

/** A key that begins like Escape has come as a whole by then. */
const escapeMs = 40
/** Longer than a slow line takes to go on with a paste. */
const pasteMs = 500

/** Keys as they are pressed, also those that only time tells apart. */
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

  /** What nobody knows the meaning of yet never gets one. */
  close(): void {
    if (this.#waiting) clearTimeout(this.#waiting)
    this.#waiting = null
  }
}
