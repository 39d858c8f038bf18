import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The connections of a server and how many answers each one still owes. Node counts a connection that has not sent
 * anything yet as busy (browsers open such ones in advance), so a stop would wait for it until it times out.
 */
export class Connections {
  readonly #owed = new Map<Socket, number>()

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#owed.set(socket, 0)
      socket.once('close', () => this.#owed.delete(socket))
    })
    server.prependListener('request', ({ socket }, res) => {
      this.#add(socket, 1)
      res.once('close', () => this.#add(socket, -1))
    })
  }

  /** Closes those that owe no answer. */
  closeQuiet(): void {
    for (const [socket, owed] of this.#owed) if (owed === 0) socket.destroy()
  }

  #add(socket: Socket, change: number): void {
    const owed = this.#owed.get(socket)
    if (owed !== undefined) this.#owed.set(socket, owed + change)
  }
}
