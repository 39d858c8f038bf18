import { createHash, hash } from 'node:crypto'
import {
  closeSync,
  fsync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TreeRow } from '@farhand/protocol/files/workspace-tree'
import type { Memory, Remembered } from '../engine/memory.ts'
import { columnsOf, rowsOf, type TreeColumns } from './memory-rows.ts'

type Whole = Omit<Remembered, 'agreements'>
type Note = Parameters<Memory['note']>[0]

type Head = Omit<Whole, 'tree'> & { version: 2; number: number }

const rowsInLine = 200
const newline = 10
// The last line: a hash that shows that no line before it was cut off or changed.
const endStart = 'end '
const endBytes = endStart.length + 64 + 1
const pieceBytes = 256 * 1024
const nothing: Whole = { cursor: 0, tree: [], unsettled: [], base: [], position: null, maxFileBytes: null }

/**
 * What a folder remembers, in files: `memory` is the whole as it once was, `notes-<n>` what was noted since whole
 * number n was begun. So after any crash the notes to be added are those of the whole that is there and of later ones.
 */
export function openMemoryFile(folder: string): Memory {
  return new MemoryFile(folder)
}

/** How large files may be, as far as a folder that is about to be opened remembers; null if it does not. */
export function rememberedLimit(folder: string): number | null {
  try {
    return headOf(join(folder, 'memory')).maxFileBytes
  } catch {
    // `load` reads the whole file and reports what is wrong with it.
    return null
  }
}

/** The first line alone: the rest may be long, and is not needed for this. */
function headOf(file: string): Head {
  const from = openSync(file, 'r')
  try {
    const pieces: Buffer[] = []
    for (;;) {
      const piece = Buffer.alloc(pieceBytes)
      const length = readSync(from, piece)
      const end = piece.subarray(0, length).indexOf(newline)
      pieces.push(piece.subarray(0, end === -1 ? length : end))
      if (end !== -1 || length === 0) return parse<Head>(Buffer.concat(pieces).toString(), file)
    }
  } finally {
    closeSync(from)
  }
}

class MemoryFile implements Memory {
  readonly #folder: string
  #number = 0
  #notes: number | null = null
  #length = 0
  #saving: Promise<void> = Promise.resolve()

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#folder = folder
  }

  async load(): Promise<Remembered | null> {
    const { number, whole } = this.#readWhole()
    this.#number = number
    const later = this.#noteNumbers().filter((of) => of >= number)
    for (const of of this.#noteNumbers()) if (of < number) rmSync(this.#notesFile(of))
    if (!whole) {
      // Notes are changes to a saved whole, and mean nothing without it.
      for (const of of later) rmSync(this.#notesFile(of))
      return null
    }
    const remembered: Remembered = { ...nothing, ...whole, agreements: [] }
    for (const of of later) {
      this.#number = of
      for (const note of this.#readNotes(of)) {
        for (const agreement of note.agreements ?? []) remembered.agreements.push(agreement)
        if (note.position !== undefined) remembered.position = note.position
        if (note.witness) remembered.witness = note.witness
      }
    }
    return remembered
  }

  note(what: Note): void {
    const line = Buffer.from(`${JSON.stringify(what)}\n`)
    this.#notes ??= this.#openNotes()
    try {
      for (let from = 0; from < line.length; ) from += writeSync(this.#notes, line, from)
      this.#length += line.length
    } catch (error) {
      // Half a line would make the next one unreadable as well.
      ftruncateSync(this.#notes, this.#length)
      throw error
    }
  }

  save(whole: Whole): Promise<void> {
    // What is noted from now on is newer than this whole, even while it is being written.
    const before = this.#notes
    const number = ++this.#number
    this.#notes = this.#openNotes()
    const write = () => this.#write(number, whole, before)
    this.#saving = this.#saving.then(write, write)
    return this.#saving
  }

  async #write(number: number, whole: Whole, before: number | null): Promise<void> {
    if (before !== null) await finish(before)
    const spare = join(this.#folder, 'memory.new')
    const file = await open(spare, 'w', 0o600)
    try {
      const digest = createHash('sha256')
      let piece = ''
      for (const line of linesOf(number, whole)) {
        piece += line
        // Other work gets its turn whenever a piece is written.
        if (piece.length < pieceBytes) continue
        digest.update(piece)
        await file.write(piece)
        piece = ''
      }
      digest.update(piece)
      await file.write(`${piece}${endStart}${digest.digest('hex')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(spare, join(this.#folder, 'memory'))
    await syncFolder(this.#folder)
    for (const of of this.#noteNumbers()) if (of < number) await rm(this.#notesFile(of))
  }

  #readWhole(): { number: number; whole: Whole | null } {
    const file = join(this.#folder, 'memory')
    const bytes = readIfThere(file)
    if (bytes === null) return { number: 0, whole: null }
    const body = bytes.subarray(0, Math.max(bytes.length - endBytes, 0))
    const end = bytes.toString('latin1', body.length)
    if (end !== `${endStart}${hash('sha256', body)}\n`) throw damaged(file)
    const headEnd = body.indexOf(newline) + 1
    const { version, number, ...rest } = parse<Head>(body.toString('utf8', 0, headEnd), file)
    if (version !== 2) throw damaged(file)
    return { number, whole: { ...nothing, ...rest, tree: readOnce(body.subarray(headEnd), file) } }
  }

  #readNotes(of: number): Note[] {
    const file = this.#notesFile(of)
    const text = readFileSync(file, 'utf8')
    const end = text.lastIndexOf('\n') + 1
    // Cut off while it was written, so `note` never returned.
    if (end < text.length) truncateSync(file, Buffer.byteLength(text.slice(0, end)))
    const lines = text.slice(0, end).split('\n').slice(0, -1)
    return lines.map((line) => parse<Note>(line, file))
  }

  #noteNumbers(): number[] {
    const numbers = readdirSync(this.#folder).flatMap((name) => /^notes-(\d+)$/.exec(name)?.[1] ?? [])
    return numbers.map(Number).sort((a, b) => a - b)
  }

  #notesFile(of: number): string {
    return join(this.#folder, `notes-${of}`)
  }

  #openNotes(): number {
    const file = this.#notesFile(this.#number)
    this.#length = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    return openSync(file, 'a', 0o600)
  }
}

function* linesOf(number: number, { tree, ...rest }: Whole): Generator<string> {
  const head: Head = { version: 2, number, ...rest }
  yield `${JSON.stringify(head)}\n`
  let rows: TreeRow[] = []
  for (const row of tree) {
    if (rows.push(row) < rowsInLine) continue
    yield `${JSON.stringify(columnsOf(rows))}\n`
    rows = []
  }
  if (rows.length > 0) yield `${JSON.stringify(columnsOf(rows))}\n`
}

/** The rows of a tree. Their bytes are freed once they are read: the caller keeps this object as long as the process runs. */
function readOnce(bytes: Buffer, file: string): Iterable<TreeRow> {
  let unread: Buffer | null = bytes
  return {
    [Symbol.iterator]() {
      if (!unread) throw new Error('the rows can be read only once')
      const rows = treeIn(unread, file)
      unread = null
      return rows
    },
  }
}

/** Read when they are wanted, line by line: 100,000 of them at once would be most of the memory a process has. */
function* treeIn(bytes: Buffer, file: string): Generator<TreeRow> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(newline, from) + 1
    yield* rowsOf(parse<TreeColumns>(bytes.toString('utf8', from, end), file))
    from = end
  }
}

/** Durable and closed: else a power loss could take these notes and leave newer ones. */
async function finish(notes: number): Promise<void> {
  try {
    await promisify(fsync)(notes)
  } finally {
    closeSync(notes)
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function parse<Value>(line: string, file: string): Value {
  try {
    return JSON.parse(line) as Value
  } catch (cause) {
    throw damaged(file, cause)
  }
}

/** What is remembered cannot be read. Only the user can say now which side's files count. */
export class MemoryDamaged extends Error {
  readonly file: string

  constructor(file: string, cause?: unknown) {
    super(
      `the sync state of this folder is damaged (${file}). Nothing in the folder was changed. Unlink it and ` +
        "link it again: --mine keeps the folder's files, --theirs the run's; the other versions stay in the history",
      { cause },
    )
    this.name = 'MemoryDamaged'
    this.file = file
  }
}

const damaged = (file: string, cause?: unknown) => new MemoryDamaged(file, cause)

function readIfThere(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
