import { connect, type Socket } from 'node:net'
import { ChunkedBody } from './chunked-body.ts'
import { LeanBody } from './lean-body.ts'
import { bodyLength, type ResponseHead, readResponseHead, restMs } from './response-head.ts'

const mostHeadBytes = 64 * 1024
// To copy so little is cheaper than to write it in two pieces.
const mostCopiedBytes = 32 * 1024
const smallRoom = 64 * 1024
const largeRoom = 512 * 1024
const leastRoom = 8 * 1024
// Shorter than hubs and proxies keep an idle connection: a connection that they close just when it is used again costs
// another try.
const mostRestMs = 55_000

export type Answered = { head: ResponseHead; body: LeanBody }

/** `over` when the whole answer has come. */
type Asked = { answered: (answer: Answered) => void; over: () => void; failed: (why: unknown) => void }
type Reading = { body: LeanBody; left: number; chunks: ChunkedBody | null; restMs: number }

/**
 * One connection to a server of HTTP/1.1, by its port or by a socket, for one request after another. It reads into large pieces of memory and
 * gives out views of them, which is most of why it costs less than a connection of `node:http`.
 */
export class HttpConnection {
  readonly #socket: Socket
  readonly #onFree: () => void
  #room = Buffer.allocUnsafeSlow(smallRoom)
  #used = 0
  #isBusy = false
  #head: Buffer | null = null
  #asked: Asked | null = null
  #reading: Reading | null = null
  #trouble: Error | null = null

  constructor(
    where: { host: string; port: number } | { path: string },
    on: { free: () => void; gone: () => void },
  ) {
    this.#onFree = on.free
    this.#socket = connect({
      ...where,
      noDelay: true,
      onread: { buffer: () => this.#nextRoom(), callback: (count) => this.#read(count) },
    })
    this.#socket.on('error', (error) => {
      this.#trouble = error
    })
    this.#socket.on('timeout', () => this.#socket.destroy())
    this.#socket.on('close', () => {
      on.gone()
      this.#closed()
    })
  }

  /** Sends a request. The line is free again when the answer has been read to its end. */
  ask(head: string, body: readonly Uint8Array[], asked: Asked): void {
    this.#asked = asked
    this.#socket.setTimeout(0)
    this.#socket.ref()
    if (body.reduce((sum, { length }) => sum + length, 0) <= mostCopiedBytes) {
      this.#socket.write(Buffer.concat([Buffer.from(head, 'latin1'), ...body]))
      return
    }
    this.#socket.cork()
    this.#socket.write(head, 'latin1')
    for (const piece of body) this.#socket.write(piece)
    this.#socket.uncork()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #nextRoom(): Buffer {
    if (this.#room.length - this.#used < leastRoom) {
      // Where much came there is more to come.
      this.#room = Buffer.allocUnsafeSlow(this.#isBusy ? largeRoom : smallRoom)
      this.#used = 0
    }
    return this.#room.subarray(this.#used)
  }

  #read(count: number): boolean {
    const bytes = this.#room.subarray(this.#used, this.#used + count)
    this.#isBusy = count >= leastRoom
    this.#used += count
    try {
      this.#take(bytes)
    } catch (error) {
      this.#trouble = error as Error
      this.#socket.destroy()
    }
    return true
  }

  #take(bytes: Buffer): void {
    if (this.#reading) this.#takeBody(this.#reading, bytes)
    else this.#takeHead(bytes)
  }

  #takeHead(bytes: Buffer): void {
    if (!this.#asked) throw new Error('the server sent bytes without a request')
    const known = this.#head ? Buffer.concat([this.#head, bytes]) : bytes
    const end = known.indexOf('\r\n\r\n')
    this.#head = end < 0 ? known : null
    if (end < 0) {
      if (known.length > mostHeadBytes) throw new Error('the head of the answer is too long')
      return
    }
    const head = readResponseHead(known.toString('latin1', 0, end))
    const rest = known.subarray(end + 4)
    if (head.status >= 200) this.#answer(this.#asked, head, rest)
    // That was an informational answer (1xx); the final one is still to come.
    else if (rest.length > 0) this.#takeHead(rest)
  }

  #answer({ answered }: Asked, head: ResponseHead, rest: Buffer): void {
    const length = bodyLength(head)
    const body = new LeanBody(this.#socket)
    const left = length.is === 'bytes' ? length.count : Number.POSITIVE_INFINITY
    const reading: Reading = {
      body,
      left: length.is === 'none' ? 0 : left,
      chunks: length.is === 'chunks' ? new ChunkedBody() : null,
      restMs: length.is === 'until-closed' ? 0 : restMs(head, mostRestMs),
    }
    this.#reading = reading
    answered({ head, body })
    this.#takeBody(reading, rest)
  }

  #takeBody(reading: Reading, bytes: Buffer): void {
    const { piece, used } = reading.chunks
      ? reading.chunks.take(bytes)
      : { piece: bytes.subarray(0, reading.left), used: Math.min(bytes.length, reading.left) }
    if (piece.length > 0) reading.body.take(piece)
    if (!reading.chunks) reading.left -= used
    if (!(reading.chunks ? reading.chunks.isOver : reading.left === 0)) return
    this.#asked?.over()
    this.#reading = null
    this.#asked = null
    reading.body.end()
    // More bytes than this answer has: the next answer on this connection could not be trusted.
    if (reading.restMs === 0 || used < bytes.length) return void this.#socket.destroy()
    this.#socket.setTimeout(reading.restMs)
    // An idle connection must not keep the process running.
    this.#socket.unref()
    this.#socket.resume()
    this.#onFree()
  }

  #closed(): void {
    const why = this.#trouble ?? new Error('the connection was closed')
    const reading = this.#reading
    if (reading && reading.left === Number.POSITIVE_INFINITY && !reading.chunks && !this.#trouble)
      reading.body.end()
    reading?.body.fail(why)
    this.#asked?.failed(why)
    this.#asked = null
    this.#reading = null
  }
}
