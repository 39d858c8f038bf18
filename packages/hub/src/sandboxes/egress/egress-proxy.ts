import { chmod, mkdir, open, rm, stat } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { Lines } from './connection-budget.ts'
import type { Destination } from './destination.ts'
import { type GitProxyOptions, gitProxy } from './git-proxy.ts'
import type { Rules } from './may-connect.ts'
import { type Lookup, OutsideConnections } from './outside-connections.ts'
import { makeProxy } from './proxy.ts'

export type EgressProxyOptions = {
  /** The folder that the sandbox sees as its socketFolder; the one around it is for this user alone. Both are made here. */
  socketFolder: string
  rules: Rules
  remotes: GitProxyOptions['remotes']
  credentialFor: GitProxyOptions['credentialFor']
  /** Takes a connection to the hub, which is for this sandbox's run alone. */
  hub: (socket: Socket) => void
  /** Told of each host that the sandbox wanted and may not have, once. */
  refused: (to: Destination) => void
  /**
   * Lines to the hub that the sandbox may have open at once; a runner needs about a dozen. Each takes one of the files that
   * the hub may have open, and as much of its memory as a request is large.
   */
  mostHubLines?: number
  /** The part of this sandbox in the connections that the hub has for all of them. */
  lines?: Lines
  lookup?: Lookup
}

/** What of a sandbox leads outside. Closed, it leads nowhere, and what was under way is cut. */
export type EgressProxy = { close(): Promise<void> }

// A socket's whole path has to fit into 108 bytes, and so much is what every system takes.
const mostPath = 100

/** The sockets of a door are called so, inside and outside. */
export const socketNames = { hub: 'hub.sock', proxy: 'proxy.sock' } as const

/** Opens the door of one sandbox, also if a hub before this one left it open. */
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
  const proxy = makeProxy({ reach, ownDoor: gitProxy({ reach, remotes, credentialFor }) })
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

/** The user inside may be one of its own, so the door is open to all; that only it gets there is up to the folder around. */
async function makeSocketFolder(socketFolder: string): Promise<void> {
  const around = dirname(socketFolder)
  await mkdir(around, { recursive: true, mode: 0o700 })
  if ((await stat(around)).mode & 0o077)
    throw new Error(`${around} holds the door of a sandbox and is open to others; \`chmod 700\` it.`)
  await mkdir(socketFolder, { recursive: true })
  await chmod(socketFolder, 0o755)
}

const unlimited: Lines = { take: () => true, isFull: () => false }

async function listen(server: Server | HttpServer, socketFolder: string, name: string, lines: Lines) {
  const place = join(socketFolder, name)
  await rm(place, { force: true })
  // By way of the open folder a path is short, however deep the folder lies.
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
