import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The connections of a server and the newest answer on each. Node counts a connection that has not sent anything
 * yet as busy (browsers open such ones in advance), so a stop would wait for it until it times out.
 */
export class Connections {
  readonly #newest = new Map<Socket, ServerResponse | null>()

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#newest.set(socket, null)
      socket.once('close', () => this.#newest.delete(socket))
    })
    server.prependListener('request', ({ socket }, res) => this.#newest.set(socket, res))
  }

  /** Closes those that owe no answer. Answers are given in order, so the newest is the last one owed. */
  closeQuiet(): void {
    for (const [socket, res] of this.#newest) if (res === null || res.writableFinished) socket.destroy()
  }
}
