import { closeSync, ftruncateSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import type { Notification } from '@farhand/protocol/wire/event'

/**
 * Consecutive journal entries in one file, one per line. While the disk is full they are kept in memory, so that a
 * runner whose agent has filled the disk can still report it.
 */
export class JournalSegment {
  /** The number of its first entry. */
  readonly first: number
  readonly #file: string
  /** By entry: the offset of its end. */
  readonly #ends: number[] = []
  #into: number | null = null
  #held: Buffer[] = []
  /** How many bytes were in memory at the last try to write them. */
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

  /** The length of its first `count` entries in bytes. */
  bytes(count = this.count): number {
    return count === 0 ? 0 : this.#ends[count - 1]!
  }

  /** Appends the line; false if it failed: then the file is unchanged and must not be written to any more. */
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

  /** Keeps an entry in memory; only if no other entry is in the file. */
  hold(line: Buffer): void {
    this.#held.push(line)
    this.#ends.push(this.bytes() + line.length)
  }

  /** Writes the entries in memory into the file, atomically; false if the disk is still full. */
  keep(): boolean {
    if (!this.isHeld) return true
    // Trying at each entry would write everything again each time.
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
      // The entries stay in memory; a later call tries again.
      const left = into
      inAnyCase(() => left !== null && closeSync(left))
      inAnyCase(() => rmSync(spare, { force: true }))
      return false
    }
    this.#into = into
    this.#held = []
    return true
  }

  /** Its entries from the nth on, at least one, within these bounds. */
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

  close(): void {
    const into = this.#into
    this.#into = null
    // Everything was written before.
    inAnyCase(() => into !== null && closeSync(into))
  }

  remove(): void {
    this.close()
    rmSync(this.#file, { force: true })
  }

  /** The disk is probably full. What cannot be cut off is not read: this segment ends where the next begins. */
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

/** Ignores a disk error: it must not end the code that reads the agent, which reports it. */
function inAnyCase(act: () => unknown): void {
  try {
    act()
  } catch {
    // The caller can go on without it.
  }
}

function writeAll(into: number, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(into, bytes, from)
}
