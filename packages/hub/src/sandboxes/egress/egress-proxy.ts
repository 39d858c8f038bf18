import { chmod, mkdir, open, rm, stat } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { ConnectionShare } from './connection-budget.ts'
import type { Destination } from './destination.ts'
import { type GitProxyOptions, gitProxy } from './git-proxy.ts'
import type { Rules } from './may-connect.ts'
import { type Lookup, OutsideConnections } from './outside-connections.ts'
import { makeProxy } from './proxy.ts'

export type EgressProxyOptions = {
  /** The folder with the sandbox's sockets. Its parent folder is for the hub's user alone. Both are made here. */
  socketFolder: string
  rules: Rules
  remotes: GitProxyOptions['remotes']
  credentialFor: GitProxyOptions['credentialFor']
  /** Accepts a connection to the hub, which only this sandbox's run may use. */
  hub: (socket: Socket) => void
  /** Called once for each host that the sandbox tried to reach and may not. */
  refused: (to: Destination) => void
  /**
   * How many connections to the hub the sandbox may have; a runner needs about a dozen. Each takes a file descriptor of the hub, and
   * memory for a request.
   */
  mostHubLines?: number
  /** This sandbox's share of the connections that the hub has for all sandboxes. */
  lines?: ConnectionShare
  lookup?: Lookup
}

/** The open sockets of a sandbox, to the hub and to the proxy. Closing them also closes their connections. */
export type EgressProxy = { close(): Promise<void> }

// The path of a socket may have 108 bytes on Linux; every system allows this many.
const mostPath = 100

/** The file names of the sockets, inside and outside. */
export const socketNames = { hub: 'hub.sock', proxy: 'proxy.sock' } as const

/** Opens the sockets of one sandbox and replaces those that an earlier hub left. */
export async function openEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const {
    socketFolder,
    rules,
    remotes,
    credentialFor,
    hub,
    mostHubLines = 64,
    refused,
    lookup,
    lines = unlimited,
  } = options
  await makeSocketFolder(socketFolder)
  const reach = new OutsideConnections({ rules, refused, lines, ...(lookup && { lookup }) })
  const proxy = makeProxy({ reach, answerOwn: gitProxy({ reach, remotes, credentialFor }) })
  const opened: { close(): Promise<void> }[] = []
  try {
    const toHub = createServer({ allowHalfOpen: true }, hub)
    toHub.maxConnections = mostHubLines
    opened.push(await listen(toHub, socketFolder, socketNames.hub, lines))
    opened.push(await listen(proxy, socketFolder, socketNames.proxy, lines))
  } catch (error) {
    for (const one of opened) await one.close()
    throw error
  }
  return {
    async close() {
      for (const one of opened) await one.close()
    },
  }
}

/** The sandbox may have a separate user, so its folder is open to all users; the parent folder keeps other users out. */
async function makeSocketFolder(socketFolder: string): Promise<void> {
  const around = dirname(socketFolder)
  await mkdir(around, { recursive: true, mode: 0o700 })
  if ((await stat(around)).mode & 0o077)
    throw new Error(`${around} holds the sockets of a sandbox and is open to other users; \`chmod 700\` it.`)
  await mkdir(socketFolder, { recursive: true })
  await chmod(socketFolder, 0o755)
}

const unlimited: ConnectionShare = { take: () => true, isFull: () => false }

async function listen(
  server: Server | HttpServer,
  socketFolder: string,
  name: string,
  lines: ConnectionShare,
) {
  const place = join(socketFolder, name)
  await rm(place, { force: true })
  // The path through the open folder is short, however deep the folder lies.
  const isLong = Buffer.byteLength(place) > mostPath && process.platform === 'linux'
  const folder = isLong ? await open(socketFolder, 'r') : null
  const sockets = new Set<Socket>()
  server.prependListener('connection', (socket: Socket) => {
    if (!lines.take(socket)) return void socket.destroy()
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(folder ? `/proc/self/fd/${folder.fd}/${name}` : place, resolve)
    })
    await chmod(place, 0o666)
  } catch (error) {
    await folder?.close()
    throw error
  }
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
      await folder?.close()
    },
  }
}
