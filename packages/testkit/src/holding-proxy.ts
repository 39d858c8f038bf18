import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type HoldingProxy = {
  url: string
  /** Holds back the next request that writes. Resolves when there is one. */
  hold(): Promise<void>
  /** Passes the held request to the server, even if its sender has died; resolves with the answer. */
  release(): Promise<string>
  close(): Promise<void>
}

/** A proxy to a server on this machine that can hold back a request, so that it arrives after its sender has died. */
export async function holdingProxy(port: number): Promise<HoldingProxy> {
  const sockets = new Set<Socket>()
  let awaited: (() => void) | null = null
  let held: { far: Socket; pieces: Buffer[] } | null = null
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let isHeld = false
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    near.on('data', (bytes) => {
      if (awaited && /^POST \S+\/sync HTTP/.test(bytes.toString('latin1'))) {
        isHeld = true
        held = { far, pieces: [] }
        awaited()
        awaited = null
      }
      if (isHeld) held?.pieces.push(bytes)
      else far.write(bytes)
    })
    // As on a real network, a held request arrives although its sender is gone.
    near.on('close', () => isHeld || far.destroy())
    near.on('end', () => isHeld || far.end())
    far.on('data', (bytes) => near.write(bytes))
    far.on('end', () => near.end())
    far.on('close', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: () =>
      new Promise((resolve) => {
        awaited = resolve
      }),
    async release() {
      if (!held) throw new Error('nothing was held')
      const { far, pieces } = held
      const answer = once(far, 'data')
      far.write(Buffer.concat(pieces))
      return String((await answer)[0])
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
