import { randomBytes } from 'node:crypto'
import { shortSocketPath } from '@farhand/sync/http/short-socket-path'
import { modelHosts } from '../catalogue/model-hosts.ts'
import { gitEnvironment, proxyEnvironment } from './child-environment.ts'
import { lineThrough, lineTo, openRelay, type Relay } from './relay.ts'

export type NetworkAccessOptions = {
  /** The proxy's socket in the door, or null if there is none. */
  proxy: string | null
  /** Whether the sandbox has a loopback to itself; else the machine has it, too. */
  isAlone: boolean
  remotes: readonly string[]
  /** The agent's environment. */
  env: Readonly<Record<string, string>>
}

/** The environment for everything that runs beside the runner, as long as it is open. */
export type NetworkAccess = { env: Record<string, string>; close(): Promise<void> }

/** Opens what programs inside need in order to get out, as far as they may. */
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
  // Others on the machine can connect to a port of the loopback that is everybody's: they do not know the word.
  const shows = isAlone ? undefined : `Farhand-Word: ${randomBytes(16).toString('hex')}`
  const isOurs = (first: Buffer) =>
    shows === undefined || first.toString('latin1').includes(`\r\n${shows}\r\n`)
  try {
    const { port } = await opened(relays, { line, isOurs })
    const withGit = gitEnvironment(env, { door: `http://127.0.0.1:${port}/git/`, shows, remotes })
    if (!isAlone) return { env: withGit, close: () => closeAll(relays) }
    // Many programs never ask a proxy about this machine: its models have to be where they are outside.
    // Many programs never ask a proxy about this machine: its models have to be where they are outside. Where a port
    // cannot be had (below 1024) the others find them by the proxy all the same.
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
