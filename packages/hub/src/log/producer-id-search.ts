import type { Earlier } from './admit.ts'
import type { LogChunk } from './event-log.ts'
import { producerName } from './producers.ts'
import { decodeLine, encodedSeq } from './stored-line.ts'

type Question = Exclude<Earlier, number[]>
type Read = (after: number, maxBytes: number) => Promise<LogChunk | null>

const chunkBytes = 1024 * 1024
const lineFeed = 0x0a

/**
 * Finds the ids of a producer's old events in the log itself (W7), which is slow and rarely needed. One search at a time, shared by equal
 * requests: each may read the whole log, and a writer can cause many at once.
 */
export class ProducerIdSearch {
  readonly #read: Read
  readonly #asked = new Map<string, Promise<number[]>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(read: Read) {
    this.#read = read
  }

  idsOf(question: Question): Promise<number[]> {
    const name = JSON.stringify(question)
    const asked = this.#asked.get(name)
    if (asked) return asked
    const found = this.#last.then(() => search(question, this.#read)).finally(() => this.#asked.delete(name))
    this.#asked.set(name, found)
    this.#last = found.catch(() => {})
    return found
  }
}

async function search({ producer, epoch, seq, count, forkedAt }: Question, read: Read): Promise<number[]> {
  const ids: number[] = []
  // Every seq has its own id, so event `seq` cannot be before line `seq + 1`. Events copied from another run do not count.
  for (let after = forkedAt + seq; ids.length < count; ) {
    const chunk = await read(after, chunkBytes)
    if (!chunk) throw new Error(`seq ${seq + ids.length} of ${producer} is not in the log`)
    const { bytes } = chunk
    // Only lines with the right bytes are parsed: most of a long log belongs to other writers.
    for (let line = 0; ids.length < count; ) {
      const found = bytes.indexOf(encodedSeq(epoch, seq + ids.length), line)
      if (found < 0) break
      const end = bytes.indexOf(lineFeed, found)
      const event = decodeLine(bytes.toString('utf8', bytes.lastIndexOf(lineFeed, found) + 1, end))
      const stamp = event?.producer
      const same = stamp?.epoch === epoch && stamp.seq === seq + ids.length
      if (same && producerName(event!.by, stamp.id) === producer) ids.push(event!.id)
      line = end + 1
    }
    after = chunk.lastId
  }
  return ids
}
