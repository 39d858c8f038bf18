import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Fault } from '@farhand/protocol/wire/faults'
import type { LogChunk } from '../../log/event-log.ts'
import type { Outlet, Reader } from '../../log/follow.ts'
import { brokenOff } from '../exchange/faults.ts'
import { aside, type FrameChoice, frames } from './frames.ts'
import { type OfferedSocket, offeredSocket } from './web-socket.ts'

/** The connection to stream on. A pipelined request has none until earlier responses are sent. */
export function socketOf(res: ServerResponse): Socket {
  // The `close` event has passed already, so this client would count as a reader for ever.
  if (res.destroyed) throw brokenOff()
  if (res.socket) return res.socket
  throw new Fault('request.malformed', 'a stream cannot be pipelined; use a connection of its own')
}

/** A live stream of server-sent events, written directly to the socket. Frames are made once for all readers of a run. */
export class SseStream implements Outlet {
  reader: Reader | null = null
  onClose: () => void = () => {}
  /** Called when the reader has all events that there are. */
  onLive: () => void = () => {}
  readonly #res: ServerResponse
  readonly #socket: Socket
  readonly #choice: FrameChoice
  readonly #web: OfferedSocket | null
  #spare: Buffer | undefined
  #quietTicks = 0
  #full = false
  #isLive = false
  #done = false

  constructor(res: ServerResponse, wanted: Omit<FrameChoice, 'chunked'>) {
    this.#res = res
    this.#socket = socketOf(res)
    this.#socket.setNoDelay(true)
    this.#web = offeredSocket(res)
    if (this.#web) this.#web.accept()
    else {
      res.writeHead(200, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      })
      res.flushHeaders()
    }
    this.#choice = { ...wanted, chunked: res.chunkedEncoding, isSocket: this.#web !== null }
    this.#socket.on('drain', this.#onDrain)
    res.once('close', () => {
      this.#socket.off('drain', this.#onDrain)
      this.#done = true
      this.reader?.stop()
      this.onClose()
    })
  }

  write(chunk: LogChunk): boolean {
    if (!chunk.passing) this.#spare = undefined
    const bytes = chunk.passing ? this.#framedAlone(chunk) : framed(chunk, this.#choice)
    return bytes.length === 0 || this.#send(bytes)
  }

  /** For a reader far behind, whose frames no other reader shares: their buffer is reused once it is sent. */
  #framedAlone(chunk: LogChunk): Buffer {
    const spare = this.#socket.writableLength === 0 ? this.#spare : undefined
    const bytes = frames(chunk, this.#choice, spare)
    this.#spare = spare?.buffer === bytes.buffer ? spare : wholeOf(bytes)
    return bytes
  }

  live(lastId: number): void {
    this.#isLive = true
    this.say(`event: live\ndata: {"lastEventId":${lastId}}\n\n`)
    this.onLive()
  }

  end(lastId: number): void {
    this.#finish(`event: end\ndata: {"lastEventId":${lastId}}\n\n`)
  }

  /** The hub is stopping: tells the reader to reconnect. */
  reconnect(): void {
    this.#finish('event: reconnect\ndata: {}\n\n')
  }

  fenced(): void {
    this.leave()
  }

  /** Ends the stream without a message; a reader that reconnects learns why. */
  leave(): void {
    this.#finish('')
  }

  fail(): void {
    this.#done = true
    this.#res.destroy()
  }

  /** Called several times per keep-alive period; sends a comment if the stream was silent for `quietTicks` calls. */
  tick(quietTicks: number): void {
    this.#quietTicks++
    if (this.#quietTicks >= quietTicks && !this.#full) this.say(': still here\n\n')
  }

  /** Sends optional text, unless the reader is behind or slow. */
  offer(text: string): void {
    if (this.#isLive && !this.#full) this.say(text)
  }

  /** Writes text that is no event of the log. */
  protected say(text: string): boolean {
    return this.#send(aside(text, this.#choice))
  }

  #send(bytes: Buffer): boolean {
    if (this.#done) return false
    this.#quietTicks = 0
    this.#full = !this.#socket.write(bytes)
    return !this.#full
  }

  #finish(lastWords: string): void {
    if (this.#done) return
    if (lastWords !== '') this.say(lastWords)
    this.#done = true
    this.reader?.stop()
    if (this.#web) this.#web.end()
    else this.#res.end()
  }

  readonly #onDrain = () => {
    if (!this.#full) return
    this.#full = false
    this.reader?.resume()
  }
}

const wholeOf = ({ buffer }: Buffer): Buffer => Buffer.from(buffer)

const made = new WeakMap<LogChunk, (Buffer | undefined)[]>()

/** The frames of a chunk, made once and shared by all readers at the same position. */
function framed(chunk: LogChunk, choice: FrameChoice): Buffer {
  let forms = made.get(chunk)
  if (!forms) {
    forms = []
    made.set(chunk, forms)
  }
  const slot =
    (choice.files === 'apart' ? 16 : 0) +
    (choice.isSocket ? 8 : 0) +
    (choice.envelope === 'stored' ? 4 : 0) +
    (choice.to === 'agent' ? 2 : 0) +
    (choice.chunked ? 1 : 0)
  const known = forms[slot]
  if (known !== undefined) return known
  const bytes = frames(chunk, choice)
  forms[slot] = bytes
  return bytes
}
