import { readFileSync } from 'node:fs'
import type { AddressInfo, Server, Socket } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import process from 'node:process'
import { AddressFile } from './address-file.ts'
import { addressFileIn } from './data-folder.ts'
import { connectionLimits } from './http/connections/connection-limits.ts'
import type { HubParts } from './http/hub-parts/hub-parts.ts'
import { type HubServer, makeServer } from './http/server.ts'
import { localSocketPath, openLocalSocket } from './local-socket.ts'
import { identityOf } from './sandboxes/processes.ts'

export type OpenServer = {
  /** The URLs of this hub: first the one for its own machine, then those for other machines. */
  urls(): [string, ...string[]]
  /** Accepts a connection from the sandbox of a run; see `makeServer`. */
  take: HubServer['take']
  /** How many connections all sandboxes may have together. */
  mostFromSandboxes: number
  /** Answers what has begun, tells readers to reconnect, and closes all connections. */
  stop(): Promise<void>
}

const stopWithinMs = 10_000
const ticksPerKeepAlive = 5
const welcomeMs = 3000
const strangersMs = 1000

/** Opens the port and the local socket, and writes where they are into the data folder. */
export async function openServer(
  given: Omit<HubParts, 'urls'>,
  undo: (() => unknown)[],
): Promise<OpenServer> {
  const { config, logger, streams, signIn } = given
  const limits = connectionLimits(descriptorLimit(), config.maxConnections)
  // Computed on each call: a machine changes its networks while it runs. The first requests come before this function ends.
  const urls = () => hubUrls(config, (server.address() as AddressInfo).port, networkInterfaces())
  const parts = { ...given, urls }
  const { server, connections, take } = makeServer(parts, limits)
  const timers = [
    setInterval(() => connections.closeStrange(), strangersMs),
    setInterval(() => streams.tick(ticksPerKeepAlive - 1), config.keepAliveMs / ticksPerKeepAlive),
    setInterval(() => streams.endRejected((token) => signIn.isGood(token)).catch(() => {}), welcomeMs),
  ]
  for (const timer of timers) timer.unref()
  undo.push(() => timers.forEach(clearInterval))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, () => resolve())
  })
  undo.push(() => server.close())
  // Before `hub.json` is written: a process that finds the hub there must find the local socket open.
  const localSocket = await localSocketTo(server, parts, limits.localSocket)
  undo.push(() => localSocket?.close())
  const address = new AddressFile(addressFileIn(config.data), (err) =>
    logger.warn(
      { err },
      'could not write hub.json: processes that look for this hub in its data folder do not find it yet',
    ),
  )
  undo.push(() => address.clear())
  const since = identityOf(process.pid)?.since ?? null
  await address.write({ url: urls()[0], pid: process.pid, since, sideDoor: localSocket !== null })

  const stop = async () => {
    await localSocket?.close()
    const closed = new Promise((resolve) => server.close(resolve))
    // Repeated: while we wait, a request may turn into a stream, and a busy connection may become idle.
    const emptying = setInterval(() => {
      streams.reconnect()
      connections.closeQuiet()
    }, 20)
    const force = setTimeout(() => server.closeAllConnections(), stopWithinMs)
    await closed
    await connections.empty()
    clearTimeout(force)
    clearInterval(emptying)
  }
  return { urls, take, mostFromSandboxes: limits.sandboxes, stop }
}

/** Not every file system allows sockets. Without one, the hub is still reachable by its port. */
async function localSocketTo(server: Server, { config, logger }: HubParts, most: number) {
  const place = localSocketPath(config.data)
  if (place === null) return null
  const take = (socket: Socket) => server.emit('connection', socket)
  return await openLocalSocket(place, take, most).catch((err: unknown) => {
    logger.warn(
      { err },
      `could not open the local socket ${place}; commands of this user cannot use it to reach the hub`,
    )
    return null
  })
}

/** For systems that report no limit, such as Windows. */
const unlimited = 65_536

/** How many files and connections this process may have open together. */
function descriptorLimit(): number {
  if (process.platform === 'win32') return unlimited
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    if (soft !== undefined) return Number(soft)
  } catch {
    // No such file: not Linux.
  }
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | string } }
  }
  return Number(userLimits?.open_files?.soft) || unlimited
}

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

// Networks between this machine and its own containers: no other machine can reach the hub there.
const isInside = (name: string) => /^(docker|br-|veth|virbr|podman|cni|lo$)/.test(name)

/**
 * The URLs under which a hub is reached. First the operator's public URL or the address for this machine; then, if the hub
 * listens on all interfaces, this machine's addresses in its networks.
 */
export function hubUrls(
  { host, publicUrl }: { host: string; publicUrl?: string | undefined },
  port: number,
  interfaces: Interfaces,
): [string, ...string[]] {
  if (publicUrl) return [publicUrl]
  const isAnywhere = host === '0.0.0.0' || host === '::'
  if (!isAnywhere) return [`http://${host.includes(':') ? `[${host}]` : host}:${port}`]
  const others = Object.entries(interfaces)
    .filter(([name]) => !isInside(name))
    .flatMap(([, addresses]) => addresses ?? [])
    .filter(
      ({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'),
    )
    .map(({ address }) => `http://${address}:${port}`)
  return [`http://127.0.0.1:${port}`, ...new Set(others)]
}
