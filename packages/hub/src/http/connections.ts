import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The connections of a server and the newest answer on each. Node counts a connection that has not sent anything
 * yet as busy (browsers open such ones in advance), so a stop would wait for it until it times out.
 */
export class Connections {
  readonly #newest = new Map<Socket, ServerResponse | null>()
  #onEmpty = () => {}

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#newest.set(socket, null)
      socket.once('close', () => {
        this.#newest.delete(socket)
        if (this.#newest.size === 0) this.#onEmpty()
      })
    })
  }

  /** Resolves when there are none. A server by itself waits only for those that came by its port. */
  async empty(): Promise<void> {
    if (this.#newest.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve))
  }

  /** To be called for each request. */
  owes(socket: Socket, res: ServerResponse): void {
    this.#newest.set(socket, res)
  }

  /** Whether trouble on a connection can be answered: not in the place of an answer that is owed, nor within one. */
  canAnswer(socket: Socket): boolean {
    const newest = this.#newest.get(socket)
    if (!newest || newest.writableFinished) return true
    // The trouble is then in the body of this very request. What follows a whole one is not about it any more.
    return !newest.req.complete && newest.socket !== null && !newest.headersSent
  }

  /** Closes those that owe no answer. Answers are given in order, so the newest is the last one owed. */
  closeQuiet(): void {
    for (const [socket, res] of this.#newest) if (res === null || res.writableFinished) socket.destroy()
  }
}
