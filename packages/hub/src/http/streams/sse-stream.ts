import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Fault } from '@farhand/protocol/wire/faults'
import type { Stretch } from '../../log/event-log.ts'
import type { Outlet, Reader } from '../../log/follow.ts'
import { brokenOff } from '../exchange/faults.ts'
import { aside, type FrameChoice, frames } from './frames.ts'
import { type OfferedSocket, offeredSocket } from './web-socket.ts'

/** The connection to stream on. Behind another answer there is none yet, and there may never be one. */
export function socketOf(res: ServerResponse): Socket {
  // Whoever left meanwhile will not be heard leaving again, and would count as a reader for good.
  if (res.destroyed) throw brokenOff()
  if (res.socket) return res.socket
  throw new Fault('request.malformed', 'a stream cannot be pipelined; use a connection of its own')
}

/** A live stream of server-sent events: written to the socket itself, framed once for all readers of a run. */
export class SseStream implements Outlet {
  reader: Reader | null = null
  onClose: () => void = () => {}
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

  write(stretch: Stretch): boolean {
    if (!stretch.passing) this.#spare = undefined
    const bytes = stretch.passing ? this.#framedAlone(stretch) : framed(stretch, this.#choice)
    return bytes.length === 0 || this.#send(bytes)
  }

  /** For a reader far behind, which nobody is beside: its last frames make room for the next once they are gone. */
  #framedAlone(stretch: Stretch): Buffer {
    const spare = this.#socket.writableLength === 0 ? this.#spare : undefined
    const bytes = frames(stretch, this.#choice, spare)
    this.#spare = spare?.buffer === bytes.buffer ? spare : wholeOf(bytes)
    return bytes
  }

  live(lastId: number): void {
    this.#isLive = true
    this.say(`event: live\ndata: {"lastEventId":${lastId}}\n\n`)
  }

  end(lastId: number): void {
    this.#finish(`event: end\ndata: {"lastEventId":${lastId}}\n\n`)
  }

  /** The hub is stopping: the reader should come back, to whoever answers then. */
  reconnect(): void {
    this.#finish('event: reconnect\ndata: {}\n\n')
  }

  fenced(): void {
    this.leave()
  }

  /** Ends the stream without a word: whoever comes back learns why. */
  leave(): void {
    this.#finish('')
  }

  fail(): void {
    this.#done = true
    this.#res.destroy()
  }

  /** Called several times per keep-alive period; says something when nothing was said for most of one. */
  tick(quietTicks: number): void {
    this.#quietTicks++
    if (this.#quietTicks >= quietTicks && !this.#full) this.say(': still here\n\n')
  }

  /** Writes something that may be left out: a reader that is behind or slow has no use for it. */
  offer(text: string): void {
    if (this.#isLive && !this.#full) this.say(text)
  }

  /** Writes text of its own between the events. */
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

const made = new WeakMap<Stretch, (Buffer | undefined)[]>()

/** The stretch as it goes over the wire; made once and shared by every reader that is at the same place. */
function framed(stretch: Stretch, choice: FrameChoice): Buffer {
  let forms = made.get(stretch)
  if (!forms) {
    forms = []
    made.set(stretch, forms)
  }
  const slot =
    (choice.files === 'apart' ? 16 : 0) +
    (choice.isSocket ? 8 : 0) +
    (choice.envelope === 'stored' ? 4 : 0) +
    (choice.to === 'agent' ? 2 : 0) +
    (choice.chunked ? 1 : 0)
  const known = forms[slot]
  if (known !== undefined) return known
  const bytes = frames(stretch, choice)
  forms[slot] = bytes
  return bytes
}
