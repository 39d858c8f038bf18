import { closeSync, mkdirSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Notification } from '@farhand/protocol/wire/event'
import type { Journal } from './journal.ts'
import { JournalSegment } from './journal-segment.ts'

/** What an earlier generation wrote and did not note as stored. */
export type Leftovers = {
  generation: number
  /** Its entries from this number on; entries that are certainly stored may be gone. */
  from(entry: number): Iterable<Notification>
}

export type JournalFolder = {
  /** Of the last generation that wrote anything; null if nothing of it is left. */
  leftovers: Leftovers | null
  /**
   * Creates the journal of the new generation with these first entries and deletes the leftovers, atomically: a crash
   * leaves either the leftovers or the complete new journal.
   */
  begin(first?: Iterable<Notification>): Journal
}

const segmentBytes = 4 * 1024 * 1024
// The newest entries are kept in memory, so that sending them needs no disk.
const tailBytes = 1024 * 1024
const nameOf = (generation: number, first: number) => `${generation}.${first}.ndjson`
const namePattern = /^(\d+)\.(\d+)\.ndjson$/

/** Opens the journal folder of one run for a runner of this generation. Only one process may use it. */
export function openJournal(folder: string, generation: number): JournalFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) if (name.endsWith('.new')) rmSync(join(folder, name))
  const files = readdirSync(folder).flatMap((name) => {
    const [, of, first] = namePattern.exec(name) ?? []
    return of === undefined ? [] : [{ file: join(folder, name), of: Number(of), first: Number(first) }]
  })
  const last = Math.max(0, ...files.map(({ of }) => of))
  if (last >= generation) throw new Error(`generation ${last} has spoken already: ${generation} cannot begin`)
  const left = files.filter(({ of }) => of === last).sort((a, b) => a.first - b.first)
  return {
    leftovers: last === 0 ? null : { generation: last, from: (entry) => entriesFrom(left, entry) },
    begin(first = []) {
      const segment = new JournalSegment(join(folder, nameOf(generation, 0)), 0)
      for (const event of first) segment.hold(lineOf(event))
      // If the disk is full, the leftovers stay, so that at least the next runner knows of them.
      if (segment.keep()) for (const { file } of files) rmSync(file)
      return new FileJournal(folder, generation, segment)
    },
  }
}

function* entriesFrom(
  files: readonly { file: string; first: number }[],
  entry: number,
): Generator<Notification> {
  for (const [index, { file, first }] of files.entries()) {
    // Entries beyond that could not be cut off the file, and are in the next one.
    const end = files[index + 1]?.first ?? Number.POSITIVE_INFINITY
    let nth = first
    for (const line of linesOf(file)) {
      if (nth >= end) break
      const event = nth++ >= entry ? entryOf(line) : undefined
      if (event === null) return
      if (event) yield event
    }
  }
}

/** Null for a broken line: a power failure can leave anything at the end of a file. */
function entryOf(line: string): Notification | null {
  try {
    return JSON.parse(line) as Notification
  } catch {
    // Failing here would lose all other entries as well.
    return null
  }
}

class FileJournal implements Journal {
  readonly #folder: string
  readonly #generation: number
  /** Never empty; the last one is written to, and only that one may be in memory. */
  readonly #segments: JournalSegment[]
  #next: number
  #forgotten = 0
  #bytes: number
  #tail: { event: Notification; bytes: number }[] = []
  #tailBytes = 0

  constructor(folder: string, generation: number, first: JournalSegment) {
    this.#folder = folder
    this.#generation = generation
    this.#segments = [first]
    this.#next = first.count
    this.#bytes = first.bytes()
  }

  get next(): number {
    return this.#next
  }

  get bytes(): number {
    return this.#bytes
  }

  append(event: Notification): number {
    const line = lineOf(event)
    const segment = this.#roomy()
    if (!segment.keep() || !segment.write(line)) this.#hold(line)
    this.#bytes += line.length
    this.#remember(event, line.length)
    return this.#next++
  }

  read(from: number, most: { events: number; bytes: number }): Notification[] {
    const atHand = this.#next - this.#tail.length
    if (from >= atHand) return this.#readTail(from - atHand, most)
    const segment = this.#segments.findLast(({ first }) => first <= from)!
    return segment.read(from - segment.first, most)
  }

  forget(before: number): void {
    this.#bytes -= this.#bytesBetween(this.#forgotten, before)
    this.#forgotten = before
    while (this.#segments.length > 1 && this.#segments[1]!.first <= before) this.#segments.shift()!.remove()
    const last = this.#segments.at(-1)!
    if (last.isHeld && last.first + last.count <= before) this.#segments.splice(-1, 1, this.#another())
    const old = before - (this.#next - this.#tail.length)
    if (old > 0) this.#drop(old)
  }

  close(): void {
    for (const segment of this.#segments) segment.close()
  }

  /** The segment to write to; a new one if the last is full. */
  #roomy(): JournalSegment {
    const last = this.#segments.at(-1)!
    if (last.isHeld || last.bytes() < segmentBytes) return last
    last.close()
    const another = this.#another()
    this.#segments.push(another)
    return another
  }

  #hold(line: Buffer): void {
    const last = this.#segments.at(-1)!
    if (last.count > 0 && !last.isHeld) {
      last.close()
      this.#segments.push(this.#another())
    }
    this.#segments.at(-1)!.hold(line)
  }

  #another(): JournalSegment {
    return new JournalSegment(join(this.#folder, nameOf(this.#generation, this.#next)), this.#next)
  }

  #readTail(from: number, most: { events: number; bytes: number }): Notification[] {
    const events: Notification[] = []
    let bytes = 0
    for (let nth = from; nth < this.#tail.length && events.length < most.events; nth++) {
      const entry = this.#tail[nth]!
      bytes += entry.bytes
      if (bytes > most.bytes && events.length > 0) break
      events.push(entry.event)
    }
    return events
  }

  #remember(event: Notification, bytes: number): void {
    this.#tail.push({ event, bytes })
    this.#tailBytes += bytes
    // Half at a time: removing the first of many costs as much as removing a thousand.
    if (this.#tailBytes <= tailBytes) return
    let old = 0
    for (let left = this.#tailBytes; left > tailBytes / 2; old++) left -= this.#tail[old]!.bytes
    this.#drop(old)
  }

  #drop(count: number): void {
    for (const { bytes } of this.#tail.splice(0, count)) this.#tailBytes -= bytes
  }

  #bytesBetween(from: number, to: number): number {
    let bytes = 0
    for (const segment of this.#segments) {
      const within = (entry: number) => Math.min(Math.max(entry - segment.first, 0), segment.count)
      bytes += segment.bytes(within(to)) - segment.bytes(within(from))
    }
    return bytes
  }
}

const lineOf = (event: Notification) => Buffer.from(`${JSON.stringify(event)}\n`)

const newline = 10
const pieceBytes = 256 * 1024

/** The complete lines of a file; an unfinished last one is left out. */
function* linesOf(file: string): Generator<string> {
  const from = openSync(file, 'r')
  try {
    let begun: Buffer[] = []
    for (;;) {
      const piece = Buffer.allocUnsafe(pieceBytes)
      const length = readSync(from, piece)
      if (length === 0) return
      let start = 0
      for (
        let end = piece.indexOf(newline);
        end !== -1 && end < length;
        end = piece.indexOf(newline, start)
      ) {
        yield Buffer.concat([...begun, piece.subarray(start, end)]).toString()
        begun = []
        start = end + 1
      }
      begun.push(piece.subarray(start, length))
    }
  } finally {
    closeSync(from)
  }
}
