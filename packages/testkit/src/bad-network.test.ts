import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type BadNetwork, badNetwork } from './bad-network.ts'
import type { Mishap, NetworkConditions } from './mishaps.ts'

let network: BadNetwork
let server: Server
const sockets = new Set<Socket>()
afterEach(async () => {
  await network.close()
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  server.close()
})

/** A connection with one planned mishap to a server that sends `bytes`, and goes on listening. */
async function line(conditions: Partial<NetworkConditions>, bytes = 100_000, seed = 1) {
  const heard: Buffer[] = []
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (piece) => heard.push(piece))
    socket.write(Buffer.alloc(bytes, 'abcdefg'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const within = { bytes: 0, ms: 60_000 }
  network = await badNetwork({
    port: (server.address() as AddressInfo).port,
    seed,
    conditions: { mishaps: ['cut'], within, ...conditions },
  })
  const socket = connect(Number(new URL(network.url).port), '127.0.0.1')
  sockets.add(socket)
  let got = 0
  let pieces = 0
  socket.on('data', (piece) => {
    got += piece.length
    pieces++
  })
  socket.on('error', () => {})
  return { socket, heard, got: () => got, pieces: () => pieces }
}

const only = (mishap: Mishap, bytes = 0): Partial<NetworkConditions> => ({
  mishaps: [mishap],
  within: { bytes, ms: 60_000 },
})

describe('a bad network', () => {
  it('cuts a line in the middle of what is being sent', async () => {
    const { socket, got } = await line(only('cut', 50_000))
    await once(socket, 'close')
    expect(got()).toBeLessThanOrEqual(50_000)
    expect(network.counts.cut).toBe(1)
  })

  it('resets a line', async () => {
    const { socket } = await line(only('reset'))
    const [error] = await once(socket, 'error').catch((error) => [error])
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })

  it('stalls a line: it stays open and silent, and goes when one side gives up', async () => {
    const { socket, got } = await line(only('stall'))
    await network.untilBroken(1)
    const [far] = [...sockets].filter((other) => other !== socket)
    expect(socket.readyState).toBe('open')
    expect(got()).toBe(0)
    socket.destroy()
    await once(far!, 'close')
  })

  it('half-closes a line: it ends cleanly although there was more', async () => {
    const { socket, got } = await line(only('half-close'))
    await once(socket, 'end')
    expect(got()).toBe(0)
  })

  it('goes deaf: the other side hears an end, and is still heard', async () => {
    const { socket, got, heard } = await line(only('deaf'))
    await once(socket, 'end')
    expect(heard).toEqual([])
    expect(got()).toBe(100_000)
  })

  it('delays a line and loses nothing', async () => {
    const { socket, got } = await line({ mishaps: ['delay'], within: { bytes: 50_000, ms: 50 } })
    while (got() < 100_000) await once(socket, 'data')
    expect(network.counts.delay).toBe(1)
    expect(network.broken()).toBe(0)
  })

  it('lets bytes through in crumbs and loses nothing', async () => {
    const { socket, got, pieces } = await line(only('trickle'), 5000)
    while (got() < 5000) await once(socket, 'data')
    expect(pieces()).toBeGreaterThan(10)
  })

  it('strikes a line on which nothing happens', async () => {
    const { socket } = await line({ mishaps: ['cut'], within: { bytes: 1_000_000, ms: 30 } }, 0)
    await once(socket, 'close')
  })

  it('does no harm once it is calm', async () => {
    const { socket, got } = await line(
      { mishaps: ['cut'], within: { bytes: 10_000_000, ms: 60_000 } },
      5_000_000,
    )
    await once(socket, 'data')
    network.calm()
    while (got() < 5_000_000) await once(socket, 'data')
    expect(network.broken()).toBe(0)
  })
})
