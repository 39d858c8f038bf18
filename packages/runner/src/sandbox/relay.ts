import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type Backoff, backoffMs } from '@farhand/kit/backoff'
import { pipeBothWays } from '@farhand/kit/pipe-both-ways'
import { sleep } from '@farhand/kit/sleep'

export type RelayOptions = {
  /** Opens the upstream connection; gives up when the signal aborts. */
  line: (signal: AbortSignal) => Promise<Socket>
  host?: string
  /** A free port by default. */
  port?: number
  /** Checks the first bytes of a connection; others are cut. */
  isOurs?: (first: Buffer) => boolean
}

/** A loopback port that leads to a place that programs in the sandbox cannot reach directly. */
export type Relay = { port: number; close(): Promise<void> }

const answerBytes = 16 * 1024
const backoff: Backoff = { firstMs: 20, maxMs: 500 }

/** Opens a port; each connection gets an upstream connection of its own, and is cut if there is none. */
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
 * Connects to a socket, with retries: a restarted hub opens it at the same path, and programs give up sooner than
 * this does.
 */
export async function lineTo(path: string, signal: AbortSignal, patienceMs = 30_000): Promise<Socket> {
  const until = performance.now() + patienceMs
  for (let failures = 0; ; failures++) {
    // Users of the socket see errors anyway; an unhandled one would end the runner.
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

/** Connects to a host through the proxy at a socket. */
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
  // Synchronously after the read: otherwise an `end` would be emitted before these bytes.
  socket.unshift(said.subarray(end + 4))
  return socket
}
