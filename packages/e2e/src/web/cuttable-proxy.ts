import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** One connection through the proxy, from the browser to the hub. */
type Passage = { near: Socket; far: Socket; answered: number; isStream: boolean }

/** A proxy to a hub whose connections a test can cut, silence, limit and restore, as a moving phone has it. */
export class CuttableProxy {
  readonly url: string
  readonly close: () => Promise<void>
  readonly #open: Set<Passage>
  #isCut = false
  #mostAnswered = Number.POSITIVE_INFINITY

  private constructor(url: string, open: Set<Passage>, close: () => Promise<void>) {
    this.url = url
    this.#open = open
    this.close = close
  }

  static async to(port: number): Promise<CuttableProxy> {
    const open = new Set<Passage>()
    const server = createServer((near) => {
      if (way.#isCut) return void near.destroy()
      const passage = { near, far: connect(port, '127.0.0.1'), answered: 0, isStream: false }
      open.add(passage)
      way.#carry(passage)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const close = async () => {
      const closed = once(server, 'close')
      server.close()
      for (const { near } of open) near.destroy()
      await closed
    }
    const way = new CuttableProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, open, close)
    return way
  }

  #carry(passage: Passage): void {
    const { near, far } = passage
    const over = () => {
      this.#open.delete(passage)
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.on('error', () => {}).once('close', over)
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes) => {
      passage.answered += bytes.length
      passage.isStream ||= bytes.includes('text/event-stream')
      near.write(bytes)
      if (passage.answered >= this.#mostAnswered) far.pause()
    })
  }

  /** Ends all connections, and lets no new one through. */
  cut(): void {
    this.#isCut = true
    for (const { near } of this.#open) near.destroy()
  }

  /** Open streams stay open without carrying anything, other connections end; new connections work. */
  deafen(): void {
    for (const { near, far, isStream } of this.#open)
      if (isStream) for (const socket of [near, far]) socket.removeAllListeners('data').pause()
      else near.destroy()
  }

  /** Lets everything through again; with a number only so many bytes of each answer, until it is called without. */
  mend(mostAnswered = Number.POSITIVE_INFINITY): void {
    this.#isCut = false
    this.#mostAnswered = mostAnswered
    for (const passage of this.#open) if (passage.answered < mostAnswered) passage.far.resume()
  }
}
