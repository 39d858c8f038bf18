import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Notification } from '@farhand/protocol/event'
import type { Journal } from './journal.ts'
import { linesOf } from './lines-of.ts'

/** What an earlier generation said and did not note as stored. */
export type Leftovers = {
  generation: number
  /** Its entries from this number on; of those that were stored for certain some may be gone. */
  from(entry: number): Iterable<Notification>
}

export type JournalFolder = {
  /** Of the last generation that said anything; null if nothing of it is left. */
  leftovers: Leftovers | null
  /**
   * The journal of the new generation, which has said this much already; from then on the leftovers are gone. It is
   * all or nothing: a crash leaves either the leftovers as they were or a journal that begins with all of this.
   */
  begin(first?: Iterable<Notification>): Journal
}

/** A file of a journal: the entries from `first` on, one a line, and where in the file each of them ends. */
type Segment = { file: string; first: number; ends: number[] }

const segmentBytes = 4 * 1024 * 1024
// What was said last is at hand: sending it needs no disk and no parser.
const tailBytes = 1024 * 1024
const nameOf = (generation: number, first: number) => `${generation}.${first}.ndjson`
const namePattern = /^(\d+)\.(\d+)\.ndjson$/

/** What is in this folder, which belongs to one run, for a runner of this generation. Only one process may use it. */
export function openJournal(folder: string, generation: number): JournalFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
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
      const segment = writeFirst(folder, generation, first)
      for (const { file } of files) rmSync(file)
      return new FileJournal(folder, generation, segment)
    },
  }
}

function* entriesFrom(
  files: readonly { file: string; first: number }[],
  entry: number,
): Generator<Notification> {
  for (const { file, first } of files) {
    let nth = first
    for (const line of linesOf(file)) if (nth++ >= entry) yield JSON.parse(line) as Notification
  }
}

function writeFirst(folder: string, generation: number, events: Iterable<Notification>): Segment {
  const spare = join(folder, 'begun.new')
  const segment: Segment = { file: join(folder, nameOf(generation, 0)), first: 0, ends: [] }
  const into = openSync(spare, 'w', 0o600)
  try {
    for (const event of events) {
      const line = lineOf(event)
      writeAll(into, line)
      segment.ends.push(endOf(segment) + line.length)
    }
  } finally {
    closeSync(into)
  }
  renameSync(spare, segment.file)
  return segment
}

class FileJournal implements Journal {
  readonly #folder: string
  readonly #generation: number
  /** Never empty; the last is the one that is written to. */
  readonly #segments: Segment[]
  #into: number
  #next: number
  #forgotten = 0
  #bytes: number
  #tail: { event: Notification; bytes: number }[] = []
  #tailBytes = 0

  constructor(folder: string, generation: number, first: Segment) {
    this.#folder = folder
    this.#generation = generation
    this.#segments = [first]
    this.#next = first.ends.length
    this.#bytes = endOf(first)
    this.#into = openSync(first.file, 'a', 0o600)
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
    const end = endOf(segment)
    try {
      writeAll(this.#into, line)
    } catch (error) {
      // Half a line would make the next one unreadable as well.
      ftruncateSync(this.#into, end)
      throw error
    }
    segment.ends.push(end + line.length)
    this.#bytes += line.length
    this.#remember(event, line.length)
    return this.#next++
  }

  read(from: number, most: { events: number; bytes: number }): Notification[] {
    const atHand = this.#next - this.#tail.length
    if (from >= atHand) return this.#readTail(from - atHand, most)
    const segment = this.#segments.findLast(({ first }) => first <= from)!
    const nth = from - segment.first
    const start = endOf(segment, nth)
    let to = nth + 1
    while (
      to < segment.ends.length &&
      to - nth < most.events &&
      endOf(segment, to + 1) - start <= most.bytes
    ) {
      to++
    }
    return parsed(segment.file, start, endOf(segment, to))
  }

  forget(before: number): void {
    this.#bytes -= this.#bytesBetween(this.#forgotten, before)
    this.#forgotten = before
    while (this.#segments.length > 1 && this.#segments[1]!.first <= before) {
      rmSync(this.#segments.shift()!.file)
    }
    const old = before - (this.#next - this.#tail.length)
    if (old > 0) this.#drop(old)
  }

  close(): void {
    closeSync(this.#into)
  }

  /** The segment to write to: another one when the last is full. */
  #roomy(): Segment {
    const last = this.#segments.at(-1)!
    if (endOf(last) < segmentBytes) return last
    const file = join(this.#folder, nameOf(this.#generation, this.#next))
    const into = openSync(file, 'a', 0o600)
    closeSync(this.#into)
    this.#into = into
    const segment: Segment = { file, first: this.#next, ends: [] }
    this.#segments.push(segment)
    return segment
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
    // By halves: to drop the first of many costs as much as to drop a thousand.
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
      const [begin, end] = [from, to].map((entry) =>
        endOf(segment, Math.min(Math.max(entry - segment.first, 0), segment.ends.length)),
      )
      bytes += end! - begin!
    }
    return bytes
  }
}

const lineOf = (event: Notification) => Buffer.from(`${JSON.stringify(event)}\n`)

/** Where the first so many entries end. */
const endOf = ({ ends }: Segment, count = ends.length) => (count === 0 ? 0 : ends[count - 1]!)

function writeAll(into: number, bytes: Buffer): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(into, bytes, from)
}

function parsed(file: string, start: number, end: number): Notification[] {
  const bytes = Buffer.allocUnsafe(end - start)
  const from = openSync(file, 'r')
  try {
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(from, bytes, at, bytes.length - at, start + at)
      if (read === 0) throw new Error(`${file} ends before what was written to it`)
      at += read
    }
  } finally {
    closeSync(from)
  }
  const lines = bytes.toString().slice(0, -1)
  return lines.split('\n').map((line) => JSON.parse(line) as Notification)
}
