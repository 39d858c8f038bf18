import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { joinLines } from '@farhand/kit/join-lines'

export type RelayOptions = {
  /** Opens the line that a connection is joined with. */
  line: () => Promise<Socket>
  host?: string
  /** A free one unless it is said. */
  port?: number
  /** Looks at the first bytes of a connection; one that is not ours is cut. */
  isOurs?: (first: Buffer) => boolean
}

/** A port of the loopback that leads to where programs inside cannot connect by themselves. */
export type Relay = { port: number; close(): Promise<void> }

const answerBytes = 16 * 1024

/** Opens a port; each connection to it gets a line of its own, and is cut if there is none. */
export async function openRelay(options: RelayOptions): Promise<Relay> {
  const { line, host = '127.0.0.1', port = 0, isOurs = () => true } = options
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, async (near) => {
    open.add(near)
    near.on('error', () => {}).on('close', () => open.delete(near))
    near.once('readable', async () => {
      const first = near.read() as Buffer | null
      if (first === null || !isOurs(first)) return near.destroy()
      // A hub that restarts is away for a moment: programs inside try again, as with any network.
      const far = await line().catch(() => null)
      if (!far) return near.destroy()
      far.write(first)
      joinLines(near, far)
    })
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const near of open) near.destroy()
      await closed
    },
  }
}

/** A line to a socket. */
export async function lineTo(path: string): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true })
  await once(socket, 'connect')
  return socket
}

/** A line to a host, through the proxy that answers at a socket. */
export async function lineThrough(path: string, authority: string): Promise<Socket> {
  const socket = await lineTo(path)
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
  let said = Buffer.alloc(0)
  while (!said.includes('\r\n\r\n') && said.length < answerBytes && socket.readable) {
    await once(socket, 'readable')
    said = Buffer.concat([said, (socket.read() as Buffer | null) ?? Buffer.alloc(0)])
    if (socket.readableEnded) break
  }
  const end = said.indexOf('\r\n\r\n')
  if (end < 0 || !said.toString('latin1').startsWith('HTTP/1.1 200 ')) {
    socket.destroy()
    throw new Error(`the proxy refused ${authority}`)
  }
  // Without a pause since it was read: else an end that came along would be told before these bytes.
  socket.unshift(said.subarray(end + 4))
  return socket
}
