import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

// One buffer for all sockets: a read is followed by its callback at once. A callback that keeps bytes has to copy them.
const shared = Buffer.allocUnsafe(1024 * 1024)

export type Taker = (chunk: Buffer) => void

/** A connected socket that hands over its bytes without allocating; nothing else about it is cheap enough here. */
export async function rawSocket(port: number, take: Taker): Promise<Socket> {
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: shared,
      callback(size) {
        try {
          take(shared.subarray(0, size))
        } catch (error) {
          socket.destroy(error instanceof Error ? error : new Error(String(error)))
        }
        return true
      },
    },
  })
  await once(socket, 'connect')
  return socket
}

/** Connects that many in slices, so that no listen queue overflows. */
export async function rawSockets(
  port: number,
  count: number,
  taker: (index: number) => Taker,
): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const slice = Array.from({ length: Math.min(64, count - sockets.length) }, (_, at) =>
      rawSocket(port, taker(sockets.length + at)),
    )
    sockets.push(...(await Promise.all(slice)))
  }
  return sockets
}
