import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type Backoff, backoffMs } from '@farhand/kit/backoff'
import { pipeBothWays } from '@farhand/kit/pipe-both-ways'
import { sleep } from '@farhand/kit/sleep'

export type RelayOptions = {
  /** Opens the line that a connection is joined with, or gives up when nobody waits for it any more. */
  line: (signal: AbortSignal) => Promise<Socket>
  host?: string
  /** A free one unless it is said. */
  port?: number
  /** Looks at the first bytes of a connection; one that is not ours is cut. */
  isOurs?: (first: Buffer) => boolean
}

/** A port of the loopback that leads to where programs inside cannot connect by themselves. */
export type Relay = { port: number; close(): Promise<void> }

const answerBytes = 16 * 1024
const backoff: Backoff = { firstMs: 20, maxMs: 500 }

/** Opens a port; each connection to it gets a line of its own, and is cut if there is none. */
export async function openRelay(options: RelayOptions): Promise<Relay> {
  const { line, host = '127.0.0.1', port = 0, isOurs = () => true } = options
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const left = new AbortController()
    open.add(near)
    near.on('error', () => {})
    near.on('close', () => {
      open.delete(near)
      left.abort()
    })
    near.once('readable', async () => {
      const first = near.read() as Buffer | null
      if (first === null || !isOurs(first)) return near.destroy()
      const far = await line(left.signal).catch(() => null)
      if (!far) return near.destroy()
      far.write(first)
      pipeBothWays(near, far)
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

/**
 * A line to a socket. While nobody is there it is tried again for a while: a hub that is started anew opens it at the same
 * place, and programs inside give up sooner than that.
 */
export async function lineTo(path: string, signal: AbortSignal, patienceMs = 30_000): Promise<Socket> {
  const until = performance.now() + patienceMs
  for (let failures = 0; ; failures++) {
    // Trouble shows to whoever uses it; unheard, it would be the end of the runner.
    const socket = connect({ path, allowHalfOpen: true }).on('error', () => {})
    try {
      await once(socket, 'connect', { signal })
      return socket
    } catch (error) {
      socket.destroy()
      if (signal.aborted || performance.now() > until) throw error
      await sleep(backoffMs(failures, backoff), { signal })
    }
  }
}

/** A line to a host, through the proxy that answers at a socket. */
export async function lineThrough(path: string, authority: string, signal: AbortSignal): Promise<Socket> {
  const socket = await lineTo(path, signal)
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
