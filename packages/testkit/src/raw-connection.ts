import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type RawAnswer = { status: number; headers: Map<string, string>; body: string }

/** A connection to an HTTP server that sends any bytes, and reads the answers. */
export class RawConnection {
  /** Resolves when the other side has closed it, or it broke. */
  readonly closed: Promise<void>
  readonly #socket: Socket
  #received = Buffer.alloc(0)
  #isClosed = false
  #ring: () => void = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    this.closed = new Promise((resolve) => {
      for (const end of ['end', 'close'] as const) socket.once(end, () => resolve())
    })
    // A broken connection shows as its end.
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes])
      this.#ring()
    })
    this.closed.then(() => {
      this.#isClosed = true
      this.#ring()
    })
  }

  /** To a port of this machine, or to a socket by its path. */
  static async open(where: number | string): Promise<RawConnection> {
    const to = typeof where === 'string' ? { path: where } : { host: '127.0.0.1', port: where, noDelay: true }
    const socket = connect({ ...to, allowHalfOpen: true })
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The received bytes that were not part of a whole answer. */
  text(): string {
    return this.#received.toString()
  }

  /** Resolves once the bytes are sent, or the other side has closed the connection. */
  write(bytes: string | Uint8Array): Promise<void> {
    const data = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
    // Not at once: a caller that writes in a loop must not keep this process from reading answers.
    return new Promise((resolve) => this.#socket.write(data, () => setImmediate(resolve)))
  }

  /** Closes the sending side and goes on reading. */
  halfClose(): void {
    this.#socket.end()
  }

  leave(): void {
    this.#socket.destroy()
  }

  reset(): void {
    this.#socket.resetAndDestroy()
  }

  /** The next whole answer, or null if the connection ends before there is one. */
  async answer({ toHead = false } = {}): Promise<RawAnswer | null> {
    for (;;) {
      const found = readAnswer(this.#received, toHead, this.#isClosed)
      if (found) {
        this.#received = this.#received.subarray(found.bytes)
        // A status below 200 (100 Continue) is not the answer yet.
        if (found.answer.status >= 200) return found.answer
        continue
      }
      if (this.#isClosed) return null
      await new Promise<void>((resolve) => {
        this.#ring = resolve
      })
    }
  }
}

function readAnswer(bytes: Buffer, toHead: boolean, isWhole: boolean) {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
  if (!status) throw new Error(`no answer begins like this: ${first.slice(0, 200)}`)
  const headers = new Map(
    lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.split(/: */)[1] ?? '']),
  )
  const from = end + 4
  const answer = (body: Buffer, length: number) => ({
    answer: { status, headers, body: body.toString() },
    bytes: from + length,
  })
  if (toHead || status < 200 || status === 204 || status === 304) return answer(Buffer.alloc(0), 0)
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunks = readChunks(bytes.subarray(from))
    return chunks && answer(chunks.body, chunks.length)
  }
  const length = headers.get('content-length')
  if (length === undefined) return isWhole ? answer(bytes.subarray(from), bytes.length - from) : null
  if (bytes.length < from + Number(length)) return null
  return answer(bytes.subarray(from, from + Number(length)), Number(length))
}

function readChunks(bytes: Buffer): { body: Buffer; length: number } | null {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return null
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const next = line + 2 + size + 2
    if (bytes.length < next) return null
    if (size === 0) return { body: Buffer.concat(chunks), length: next }
    chunks.push(bytes.subarray(line + 2, next - 2))
    at = next
  }
}
