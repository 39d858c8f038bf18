import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { RunnerConfig } from '@farhand/protocol/schemas/runner-config'
import { remotesOf } from '@farhand/protocol/schemas/sandbox-terms'
import { installFiles } from '@farhand/runner/catalogue/install-files'
import type { RunnerEnd, RunnerOptions } from '@farhand/runner/runner'
import { z } from 'zod'
import type { CommandContext } from '../../context/command-context.ts'

const mostBytes = 16 * 1024 * 1024
/** How long the runner goes on while the hub does not answer; after that the hub begins another runner. */
const hubGoneMs = 6 * 60 * 60_000

/**
 * Runs the runner in a sandbox of a hub, with the runner config from standard input, until the run is closed or has nothing to
 * do. Its output only helps to find faults.
 */
export async function hostRunnerInSandbox(context: CommandContext): Promise<void> {
  const { at, generation, ...config } = await readRunnerConfig(context)
  const [{ openNetworkAccess }, { watchHub }, { leanFetch, socketFetch }] = await Promise.all([
    import('@farhand/runner/sandbox/network-access'),
    import('@farhand/runner/sandbox/hub-watch'),
    import('@farhand/sync/http/lean-fetch'),
  ])
  const { workspace, state, terms, hub } = config
  const folder = path.join(state, 'agent')
  for (const place of [workspace, folder]) mkdirSync(place, { recursive: true, mode: 0o700 })
  const { network = 'full', setup, clone } = terms
  const { env, ...way } = await openNetworkAccess({
    proxy: config.proxy,
    isAlone: network !== 'full',
    remotes: remotesOf(terms),
    env: config.agent.env,
  })
  const { id, command, args, mcpServers, signIn, memory, places, readable } = config.agent
  const { unasked, denyMode, hidesContext } = config.agent
  if (places) installFiles(places)
  const { fetch, gone } = watchHub(hub.socket ? socketFetch(hub.socket) : leanFetch, hubGoneMs)
  try {
    const end = await host({
      hub: { url: hub.url, token: config.token, fetch },
      at,
      generation,
      agent: {
        id,
        command: {
          name: id,
          command,
          args,
          env,
          cwd: workspace,
          mcpServers: mcpServers as NonNullable<RunnerOptions['agent']['command']['mcpServers']>,
          ...(signIn !== undefined && { signIn }),
          ...(readable && { readable }),
        },
        asks: { unasked, denyMode },
        hidesContext,
      },
      secrets: [
        ...config.secrets.map((name) => ({ name, value: env[name] ?? '' })),
        ...mcpServers.flatMap(secretsOfServer),
      ],
      state: path.join(state, 'runner'),
      ...(memory && { memory: { folder, terms: memory } }),
      bring: true,
      ...(setup !== undefined && { setup: { command: setup } }),
      checkpoints: { clone: clone ?? null },
      signal: AbortSignal.any([context.stop, gone]),
    })
    context.note(`The runner ends: ${end}.\n`)
  } finally {
    await way.close()
  }
}

const NamedValues = z.array(z.object({ name: z.string(), value: z.string() })).catch([])

/** The secrets in the settings of a tool server: its variables and headers whose names look like secrets. */
function secretsOfServer(server: unknown): { name: string; value: string }[] {
  const { env, headers } = (server ?? {}) as { env?: unknown; headers?: unknown }
  const given = [...NamedValues.parse(env), ...NamedValues.parse(headers)]
  return given.filter(({ name }) => /key|token|secret|password|authorization/i.test(name))
}

async function readRunnerConfig(context: CommandContext): Promise<RunnerConfig> {
  const wrong = (why: string, cause?: unknown) =>
    new Trouble(
      'usage',
      `There is no runner config of a hub on standard input: ${why}.`,
      'Only a hub writes one.',
      cause,
    )
  if (!context.input) throw wrong('it is a terminal')
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of context.input(context.stop)) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > mostBytes) throw wrong('it is too long')
  }
  try {
    return RunnerConfig.parse(JSON.parse(Buffer.concat(pieces).toString('utf8')))
  } catch (error) {
    // Without the text itself: it contains a token.
    throw wrong('it cannot be read', error instanceof SyntaxError ? undefined : error)
  }
}

async function host(parts: Omit<RunnerOptions, 'start'>): Promise<RunnerEnd> {
  const [{ hostAgent }, { startAgent }] = await Promise.all([
    import('@farhand/runner/runner'),
    import('@farhand/runner/agent/acp-agent'),
  ])
  const mark = `${parts.at.run} ${parts.agent.command.cwd}`
  return await hostAgent({
    ...parts,
    start: (command, handlers, signal) => startAgent(command, handlers, { signal, mark }),
  })
}
