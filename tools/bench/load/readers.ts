import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { eventScanner } from '../payload.ts'
import { rawSockets } from './raw-socket.ts'

export type ReadTarget = {
  port: number
  path: string
  headers?: Record<string, string>
  /** What the stream says once a reader will miss nothing any more. */
  ready: string
}

export function getRequest(target: Omit<ReadTarget, 'ready'>): string {
  const lines = Object.entries(target.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${target.path} HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\n${lines.join('')}\r\n`
}

type Reader = { count: number; sum: number }

/** Many readers of one stream in this process; each event of each is counted. */
export class Readers {
  readonly #sockets: Socket[]
  readonly #readers: Reader[]
  #closing = false
  #lost: string | null = null

  private constructor(sockets: Socket[], readers: Reader[]) {
    this.#sockets = sockets
    this.#readers = readers
    for (const socket of sockets) {
      socket.on('error', (error) => {
        this.#lost ??= error.message
      })
      socket.on('close', () => {
        if (!this.#closing) this.#lost ??= 'the server closed a reader'
      })
    }
  }

  /** Opens them and waits until each is told that it is live. */
  static async open(target: ReadTarget, count: number, onEvent: (seq: number) => void = () => {}) {
    const ready = Buffer.from(target.ready)
    const readers: Reader[] = []
    let waiting = count
    const sockets = await rawSockets(target.port, count, (index) => {
      const reader = { count: 0, sum: 0 }
      readers[index] = reader
      const scan = eventScanner((seq) => {
        reader.count++
        reader.sum += seq
        onEvent(seq)
      })
      let start: Buffer | null = Buffer.alloc(0)
      return (chunk) => {
        if (start !== null) {
          start = Buffer.concat([start, chunk])
          if (!start.includes(ready)) return
          start = null
          waiting--
          return
        }
        scan(chunk)
      }
    })
    const request = getRequest(target)
    for (const socket of sockets) socket.write(request)
    const all = new Readers(sockets, readers)
    const deadline = performance.now() + 30_000
    while (waiting > 0) {
      if (all.#lost !== null || performance.now() > deadline) {
        all.close()
        throw new Error(all.#lost ?? `${waiting} of ${count} readers were not told that they are live`)
      }
      await wait(5)
    }
    return all
  }

  /** Begins to count anew. */
  reset(): void {
    for (const reader of this.#readers) Object.assign(reader, { count: 0, sum: 0 })
  }

  /** Waits until every reader has had the events 0 to `events` - 1, each once; throws when they stop coming. */
  async all(events: number): Promise<void> {
    const sum = (events * (events - 1)) / 2
    let before = -1
    let quietSince = performance.now()
    for (;;) {
      let total = 0
      for (const reader of this.#readers) total += reader.count
      if (total >= events * this.#readers.length) break
      if (this.#lost !== null) throw new Error(this.#lost)
      if (total !== before) quietSince = performance.now()
      else if (performance.now() - quietSince > 15_000) {
        throw new Error(`readers got ${total} of ${events * this.#readers.length} events, then none for 15 s`)
      }
      before = total
      await wait(2)
    }
    const wrong = this.#readers.findIndex((reader) => reader.count !== events || reader.sum !== sum)
    if (wrong >= 0) {
      throw new Error(
        `reader ${wrong} had ${this.#readers[wrong]!.count} events instead of ${events}, each once`,
      )
    }
  }

  close(): void {
    this.#closing = true
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** A reader that asks and then never takes a byte: what the server sends stays in the kernel, then in the server. */
export async function stalledReader(target: Omit<ReadTarget, 'ready'>): Promise<Socket> {
  const socket = connect({ port: target.port, host: '127.0.0.1' })
  socket.pause()
  socket.on('error', () => {}) // a server may well end such a reader
  await once(socket, 'connect')
  socket.write(getRequest(target))
  return socket
}
