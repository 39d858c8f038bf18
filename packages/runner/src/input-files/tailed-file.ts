import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'

/** How far a file was read. */
const Place = z.object({
  /** How often the file was replaced. */
  round: z.number(),
  /** Null while the file does not exist. */
  ino: z.number().nullable(),
  offset: z.number(),
  /** The last line before the offset, by which the file is recognized. */
  last: z.object({ bytes: z.number(), digest: z.string() }),
})
type Place = z.infer<typeof Place>

/** A complete line, its key (the same whenever it is read), and the position behind it. */
export type TailedLine = { text: string; key: string; after: Place }

const nothingRead = { bytes: 0, digest: digestOf(Buffer.alloc(0)) }
const mostAtOnce = 4 * 1024 * 1024
const newline = 10

/**
 * Follows a file to which other programs append lines. It may not exist yet, and may be truncated or replaced: then
 * it is read from its beginning. The position survives the process.
 */
export class TailedFile {
  readonly #file: string
  readonly #noted: string
  #place: Place

  /** `notes` is the folder for the saved position. */
  constructor(file: string, notes: string) {
    this.#file = path.resolve(file)
    mkdirSync(notes, { recursive: true, mode: 0o700 })
    this.#noted = path.join(notes, `${digestOf(Buffer.from(this.#file)).slice(0, 32)}.json`)
    this.#place = readPlace(this.#noted)
  }

  /** Complete lines that were not passed yet, or some of them; none while the last one is being written. */
  async read(): Promise<TailedLine[]> {
    const file = await open(this.#file, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return null
    })
    if (!file) {
      // The next file may reuse the inode.
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

  /** Marks the line as done. */
  pass({ after }: TailedLine): void {
    this.#note(after)
  }

  /** Checks whether it is still the same file. */
  async #know(file: FileHandle): Promise<void> {
    const { ino, size } = await file.stat()
    const { round, offset, last } = this.#place
    const isFirst = offset === 0 && round === 0 && this.#place.ino === null
    const isSame =
      ino === this.#place.ino &&
      size >= offset &&
      digestOf(await readAt(file, offset - last.bytes, last.bytes)) === last.digest
    if (isSame) return
    // Saved before any line is sent: after a crash, the lines must have the same keys.
    this.#note({ round: isFirst ? 0 : round + 1, ino, offset: 0, last: nothingRead })
  }

  #lines(bytes: Buffer): TailedLine[] {
    const { round, ino, offset } = this.#place
    const lines: TailedLine[] = []
    let from = 0
    for (;;) {
      let end = bytes.indexOf(newline, from) + 1
      // A line longer than any valid one is not waited for.
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
    // The first time, or the note cannot be read: then the keys prevent that lines are sent twice.
    return { round: 0, ino: null, offset: 0, last: nothingRead }
  }
}
