import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'

/** Up to where a file was read. */
const Place = z.object({
  /** How often another file has begun under this name. */
  round: z.number(),
  /** Null while there is no file. */
  ino: z.number().nullable(),
  offset: z.number(),
  /** The last line before that, by which a file is known again. */
  last: z.object({ bytes: z.number(), digest: z.string() }),
})
type Place = z.infer<typeof Place>

/** A whole line, the name it goes by whenever it is read, and where the file is read on after it. */
export type TailedLine = { text: string; key: string; after: Place }

const nothingRead = { bytes: 0, digest: digestOf(Buffer.alloc(0)) }
const mostAtOnce = 4 * 1024 * 1024
const newline = 10

/**
 * A file to which others append lines. It need not be there yet, and may be emptied or replaced: then it is read from
 * its beginning. How far it was read outlives the process.
 */
export class TailedFile {
  readonly #file: string
  readonly #noted: string
  #place: Place

  /** `notes` is the folder in which it writes down how far it is. */
  constructor(file: string, notes: string) {
    this.#file = path.resolve(file)
    mkdirSync(notes, { recursive: true, mode: 0o700 })
    this.#noted = path.join(notes, `${digestOf(Buffer.from(this.#file)).slice(0, 32)}.json`)
    this.#place = readPlace(this.#noted)
  }

  /** The lines that are whole and not yet passed, or some of them; none while the last one is still being written. */
  async read(): Promise<TailedLine[]> {
    const file = await open(this.#file, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return null
    })
    if (!file) {
      // An inode may be used again for the next one.
      if (this.#place.ino !== null) this.#note({ ...this.#place, ino: null })
      return []
    }
    try {
      await this.#know(file)
      const bytes = await readAt(file, this.#place.offset, mostAtOnce)
      return this.#lines(bytes)
    } finally {
      await file.close()
    }
  }

  /** This line need not be read again. */
  pass({ after }: TailedLine): void {
    this.#note(after)
  }

  /** Finds out whether it is the file that was read before. */
  async #know(file: FileHandle): Promise<void> {
    const { ino, size } = await file.stat()
    const { round, offset, last } = this.#place
    const isFirst = offset === 0 && round === 0 && this.#place.ino === null
    const isSame =
      ino === this.#place.ino &&
      size >= offset &&
      digestOf(await readAt(file, offset - last.bytes, last.bytes)) === last.digest
    if (isSame) return
    // Noted before anything of it is sent: after a crash its lines must have the same keys.
    this.#note({ round: isFirst ? 0 : round + 1, ino, offset: 0, last: nothingRead })
  }

  #lines(bytes: Buffer): TailedLine[] {
    const { round, ino, offset } = this.#place
    const lines: TailedLine[] = []
    let from = 0
    for (;;) {
      let end = bytes.indexOf(newline, from) + 1
      // What is longer than anybody would take is not waited for.
      if (end === 0 && from === 0 && bytes.length === mostAtOnce) end = bytes.length
      if (end === 0) return lines
      const line = bytes.subarray(from, end)
      const digest = digestOf(line)
      lines.push({
        text: line.toString().trimEnd(),
        key: `fed-${digestOf(Buffer.from(JSON.stringify([this.#file, round, offset + from, digest])))}`,
        after: { round, ino, offset: offset + end, last: { bytes: line.length, digest } },
      })
      from = end
    }
  }

  #note(place: Place): void {
    writeFileSync(`${this.#noted}.draft`, JSON.stringify(place), { mode: 0o600 })
    renameSync(`${this.#noted}.draft`, this.#noted)
    this.#place = place
  }
}

function digestOf(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex')
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const size = Math.min(length, Math.max((await file.stat()).size - position, 0))
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, position)
  return buffer.subarray(0, bytesRead)
}

function readPlace(noted: string): Place {
  try {
    return Place.parse(JSON.parse(readFileSync(noted, 'utf8')))
  } catch {
    // The first time, or nobody knows any more: then the keys keep what was sent from being sent again.
    return { round: 0, ino: null, offset: 0, last: nothingRead }
  }
}
