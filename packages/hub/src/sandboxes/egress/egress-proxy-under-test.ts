import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RawConnection } from '@farhand/testkit/raw-connection'
import { onTestFinished } from 'vitest'
import type { Destination } from './destination.ts'
import { type EgressProxyOptions, openEgressProxy, socketNames } from './egress-proxy.ts'

/** A folder that is gone after the test. */
export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-gate-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A gate of its own for a test: nothing is allowed, and every name is this machine's, unless said otherwise. */
export async function egressProxyUnderTest(said: Partial<EgressProxyOptions> & { allow?: string[] } = {}) {
  const { allow = [], ...given } = said
  const socketFolder = given.socketFolder ?? join(await scratchFolder(), 'door')
  const refused: Destination[] = []
  const looked: string[] = []
  const options: EgressProxyOptions = {
    rules: { network: { allow }, alsoHosts: [], privateHosts: 'any' },
    remotes: [],
    credentialFor: async () => null,
    hub: (socket) => socket.destroy(),
    refused: (to) => refused.push(to),
    lookup: async (host) => {
      looked.push(host)
      return ['127.0.0.1']
    },
    ...given,
    socketFolder,
  }
  const gate = await openEgressProxy(options)
  onTestFinished(() => gate.close())
  const proxy = join(socketFolder, socketNames.proxy)
  const connect = async () => {
    const line = await RawConnection.open(proxy)
    onTestFinished(() => line.leave())
    return line
  }
  return { gate, socketFolder, refused, looked, proxy, connect, options }
}

/** A server somewhere in the world that talks as the test says. */
export async function upstream(talk: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    talk(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}
