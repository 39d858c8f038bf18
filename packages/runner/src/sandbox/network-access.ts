import { randomBytes } from 'node:crypto'
import { shortSocketPath } from '@farhand/sync/http/short-socket-path'
import { modelHosts } from '../catalogue/model-hosts.ts'
import { gitEnvironment, proxyEnvironment } from './child-environment.ts'
import { lineThrough, lineTo, openRelay, type Relay } from './relay.ts'

export type NetworkAccessOptions = {
  /** The egress proxy's socket, or null if there is none. */
  proxy: string | null
  /** Whether the sandbox has its own loopback interface, or shares the machine's. */
  isAlone: boolean
  remotes: readonly string[]
  /** The agent's environment. */
  env: Readonly<Record<string, string>>
}

/** The environment for all programs beside the runner, valid until `close`. */
export type NetworkAccess = { env: Record<string, string>; close(): Promise<void> }

/** Opens the ports through which programs in the sandbox reach the network, as far as they may. */
export async function openNetworkAccess({
  proxy: place,
  isAlone,
  remotes,
  env,
}: NetworkAccessOptions): Promise<NetworkAccess> {
  if (place === null) return { env: { ...env, GIT_TERMINAL_PROMPT: '0' }, close: nothing }
  const proxy = shortSocketPath(place)
  const relays: Relay[] = []
  const line = (signal: AbortSignal) => lineTo(proxy, signal)
  // Other programs of the machine can connect to a shared loopback port: they do not know the secret header.
  const shows = isAlone ? undefined : `Farhand-Word: ${randomBytes(16).toString('hex')}`
  const isOurs = (first: Buffer) =>
    shows === undefined || first.toString('latin1').includes(`\r\n${shows}\r\n`)
  try {
    const { port } = await opened(relays, { line, isOurs })
    const withGit = gitEnvironment(env, { door: `http://127.0.0.1:${port}/git/`, shows, remotes })
    if (!isAlone) return { env: withGit, close: () => closeAll(relays) }
    // Many programs bypass the proxy for this machine: its models must be reachable at their usual ports. Where a
    // port cannot be opened (below 1024), the proxy still works.
    for (const model of modelsOnLoopback(env))
      await opened(relays, { line: (signal) => lineThrough(proxy, model.authority, signal), ...model }).catch(
        () => {},
      )
    return { env: proxyEnvironment(withGit, port), close: () => closeAll(relays) }
  } catch (error) {
    await closeAll(relays)
    throw error
  }
}

const nothing = async () => {}

async function opened(relays: Relay[], options: Parameters<typeof openRelay>[0]): Promise<Relay> {
  const relay = await openRelay(options)
  relays.push(relay)
  return relay
}

async function closeAll(relays: readonly Relay[]): Promise<void> {
  await Promise.all(relays.map((relay) => relay.close()))
}

function modelsOnLoopback(env: Readonly<Record<string, string>>) {
  return modelHosts([], env).flatMap((authority) => {
    const [, host = '', port] = /^(localhost|127\.0\.0\.1|\[::1\]):(\d+)$/.exec(authority) ?? []
    if (port === undefined) return []
    return [{ authority, host: host === '[::1]' ? '::1' : '127.0.0.1', port: Number(port) }]
  })
}
