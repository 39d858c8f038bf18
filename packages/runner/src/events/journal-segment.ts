import { closeSync, ftruncateSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import type { Notification } from '@farhand/protocol/wire/event'

/**
 * Consecutive entries of a journal in one file, a line each. While the disk has no room they are held in memory: a
 * runner whose agent has filled the disk can still tell of it.
 */
export class JournalSegment {
  /** The number of its first entry. */
  readonly first: number
  readonly #file: string
  /** Where each of its entries ends. */
  readonly #ends: number[] = []
  #into: number | null = null
  #held: Buffer[] = []
  /** How much was held when the disk was last tried. */
  #triedBytes = 0

  constructor(file: string, first: number) {
    this.#file = file
    this.first = first
  }

  get count(): number {
    return this.#ends.length
  }

  get isHeld(): boolean {
    return this.#held.length > 0
  }

  /** How many bytes its first so many entries have. */
  bytes(count = this.count): number {
    return count === 0 ? 0 : this.#ends[count - 1]!
  }

  /** Whether this is in the file now; if not, nothing has changed, and nothing more can be written to this file. */
  write(line: Buffer): boolean {
    try {
      this.#into ??= openSync(this.#file, 'a', 0o600)
      writeAll(this.#into, line)
    } catch {
      this.#shorten()
      return false
    }
    this.#ends.push(this.bytes() + line.length)
    return true
  }

  /** Takes an entry without the disk; only where none of the others is in the file. */
  hold(line: Buffer): void {
    this.#held.push(line)
    this.#ends.push(this.bytes() + line.length)
  }

  /** Puts what is held into the file, under its name only when all of it is there; false if there is no room yet. */
  keep(): boolean {
    if (!this.isHeld) return true
    // To try with each entry would write everything again each time.
    if (this.bytes() < 2 * this.#triedBytes) return false
    this.#triedBytes = this.bytes()
    const spare = `${this.#file}.new`
    let into: number | null = null
    try {
      rmSync(spare, { force: true })
      into = openSync(spare, 'a', 0o600)
      for (const line of this.#held) writeAll(into, line)
      renameSync(spare, this.#file)
    } catch {
      // What is held stays held; a later one tries again.
      const left = into
      inAnyCase(() => left !== null && closeSync(left))
      inAnyCase(() => rmSync(spare, { force: true }))
      return false
    }
    this.#into = into
    this.#held = []
    return true
  }

  /** Its entries from the nth on, one at least and as many as fit. */
  read(nth: number, most: { events: number; bytes: number }): Notification[] {
    const start = this.bytes(nth)
    const last = Math.min(this.count, nth + most.events)
    let to = nth + 1
    while (to < last && this.bytes(to + 1) - start <= most.bytes) to++
    const bytes = this.isHeld
      ? Buffer.concat(this.#held.slice(nth, to))
      : this.#readAll(start, this.bytes(to))
    const lines = bytes.toString().slice(0, -1).split('\n')
    return lines.map((line) => JSON.parse(line) as Notification)
  }

  /** Nothing more is written. */
  close(): void {
    const into = this.#into
    this.#into = null
    // All of it was written before.
    inAnyCase(() => into !== null && closeSync(into))
  }

  remove(): void {
    this.close()
    rmSync(this.#file, { force: true })
  }

  /** Most likely the disk is full. What cannot be taken out of the file is not read: it ends where the next begins. */
  #shorten(): void {
    const into = this.#into
    inAnyCase(() => into !== null && ftruncateSync(into, this.bytes()))
    this.close()
  }

  #readAll(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start)
    const from = openSync(this.#file, 'r')
    try {
      for (let at = 0; at < bytes.length; ) {
        const read = readSync(from, bytes, at, bytes.length - at, start + at)
        if (read === 0) throw new Error(`${this.#file} ends before what was written to it`)
        at += read
      }
    } finally {
      closeSync(from)
    }
    return bytes
  }
}

/** A disk that fails must not end those who listen to the agent: they tell people of it. */
function inAnyCase(act: () => unknown): void {
  try {
    act()
  } catch {
    // Whoever calls this can do without.
  }
}

function writeAll(into: number, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(into, bytes, from)
}
