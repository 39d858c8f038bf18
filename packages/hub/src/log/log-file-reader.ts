import { type DiskFile, readExactly } from './disk/disk.ts'
import type { LogChunk } from './event-log.ts'
import { findLine, type Mark } from './find-line.ts'
import { chunkOf, wholeLines } from './log-chunk.ts'
import { areAsWritten } from './stored-line.ts'

const marksKept = 128
/** Most lines are no longer. */
const lineBytes = 4096

/** Reads chunks of one log file, and remembers where they ended, so that the next read need not search. */
export class LogFileReader {
  #marks = new Map<number, number>([[1, 0]])
  #reading = new Map<string, Promise<LogChunk>>()

  /**
   * The lines after `after`; there must be at least one before `end`. Equal reads at the same time share the result, except those with
   * their own buffer, which saves far-behind readers a new buffer for each read.
   */
  read(file: DiskFile, after: number, maxBytes: number, end: Mark, into?: Buffer): Promise<LogChunk> {
    if (into) return this.#read(file, after, maxBytes, end, into)
    const question = `${after} ${maxBytes}`
    const asked = this.#reading.get(question)
    if (asked) return asked
    const reading = this.#read(file, after, maxBytes, end).finally(() => this.#reading.delete(question))
    this.#reading.set(question, reading)
    return reading
  }

  async #read(file: DiskFile, after: number, maxBytes: number, end: Mark, into?: Buffer): Promise<LogChunk> {
    const at = await this.#locate(file, after + 1, end)
    let length = Math.min(Math.max(maxBytes, lineBytes), end.at - at)
    for (;;) {
      const fits = into !== undefined && length <= into.length
      const bytes = await readExactly(file, at, length, fits ? into : undefined)
      const whole = wholeLines(bytes, maxBytes)
      if (whole > 0) {
        const chunk = this.#chunk(bytes.subarray(0, whole), after + 1, at)
        return fits ? { ...chunk, passing: true } : chunk
      }
      if (at + length >= end.at) throw new Error(`the line at byte ${at} does not end`)
      length = Math.min(length * 4, end.at - at)
    }
  }

  #chunk(bytes: Buffer, id: number, at: number): LogChunk {
    const chunk = chunkOf(bytes)
    if (!areAsWritten(bytes)) throw new Error(`a line behind byte ${at} is not as it was written`)
    if (chunk.firstId !== id) throw new Error(`expected line ${id} at byte ${at}`)
    this.#marks.set(chunk.lastId + 1, at + bytes.length)
    if (this.#marks.size > marksKept) this.#marks.delete(this.#marks.keys().next().value!)
    return chunk
  }

  async #locate(file: DiskFile, id: number, end: Mark): Promise<number> {
    let low: Mark = { id: 1, at: 0 }
    let high = end
    for (const [markId, at] of this.#marks) {
      if (markId === id) return at
      if (markId < id && markId > low.id) low = { id: markId, at }
      if (markId > id && markId < high.id) high = { id: markId, at }
    }
    return findLine(file, id, low, high)
  }
}
