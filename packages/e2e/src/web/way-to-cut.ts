import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a hub that can be cut and mended, as a train does it: what is open ends, and nothing new gets through. */
export class WayToCut {
  readonly url: string
  readonly close: () => Promise<void>
  readonly #open: Set<Socket>
  #isCut = false

  private constructor(url: string, open: Set<Socket>, close: () => Promise<void>) {
    this.url = url
    this.#open = open
    this.close = close
  }

  static async to(port: number): Promise<WayToCut> {
    const open = new Set<Socket>()
    const server = createServer((near) => {
      if (way.#isCut) return void near.destroy()
      const far = connect(port, '127.0.0.1')
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        open.add(one)
        one
          .on('error', () => {})
          .once('close', () => {
            open.delete(one)
            other.destroy()
          })
        one.pipe(other)
      }
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const close = async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    }
    const way = new WayToCut(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, open, close)
    return way
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#open) socket.destroy()
  }

  mend(): void {
    this.#isCut = false
  }
}
