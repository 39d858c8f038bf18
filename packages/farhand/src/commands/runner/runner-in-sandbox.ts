import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { RunnerConfig } from '@farhand/protocol/runner-config'
import { remotesOf } from '@farhand/protocol/schemas/sandbox-terms'
import { installFiles } from '@farhand/runner/catalogue/install-files'
import type { RunnerEnd, RunnerOptions } from '@farhand/runner/runner'
import { z } from 'zod'
import type { CommandContext } from '../../context/command-context.ts'
import { Trouble } from '../../errors/trouble.ts'

const mostBytes = 16 * 1024 * 1024
/** So long it works on for a hub that is away; one that comes later begins another. */
const hubGoneMs = 6 * 60 * 60_000

/**
 * Is the runner in a sandbox of a hub, as a letter on standard input says, until the run is closed or has nothing to do. What
 * it prints is read by whoever looks for a fault.
 */
export async function hostRunnerInSandbox(context: CommandContext): Promise<void> {
  const { at, generation, ...letter } = await readRunnerConfig(context)
  const [{ openNetworkAccess }, { watchHub }, { leanFetch, socketFetch }] = await Promise.all([
    import('@farhand/runner/sandbox/network-access'),
    import('@farhand/runner/sandbox/hub-watch'),
    import('@farhand/sync/http/lean-fetch'),
  ])
  const { workspace, state, terms, hub } = letter
  const folder = path.join(state, 'agent')
  for (const place of [workspace, folder]) mkdirSync(place, { recursive: true, mode: 0o700 })
  const { network = 'full', setup, clone } = terms
  const { env, ...way } = await openNetworkAccess({
    proxy: letter.proxy,
    isAlone: network !== 'full',
    remotes: remotesOf(terms),
    env: letter.agent.env,
  })
  const { id, command, args, mcpServers, signIn, memory, places, readable } = letter.agent
  const { unasked, denyMode, hidesContext } = letter.agent
  if (places) installFiles(places)
  const { fetch, gone } = watchHub(hub.socket ? socketFetch(hub.socket) : leanFetch, hubGoneMs)
  try {
    const end = await host({
      hub: { url: hub.url, token: letter.token, fetch },
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
        ...letter.secrets.map((name) => ({ name, value: env[name] ?? '' })),
        ...mcpServers.flatMap(secretsOfServer),
      ],
      state: path.join(state, 'runner'),
      ...(memory && { memory: { folder, terms: memory } }),
      bring: true,
      ...(setup !== undefined && { setup: { command: setup } }),
      checkpoints: { clone: clone ?? null },
      signal: AbortSignal.any([context.stop, gone]),
    })
    context.note(`It ends: ${end}.\n`)
  } finally {
    await way.close()
  }
}

const NamedValues = z.array(z.object({ name: z.string(), value: z.string() })).catch([])

/** What a server of tools is given that it alone should know. */
function secretsOfServer(server: unknown): { name: string; value: string }[] {
  const { env, headers } = (server ?? {}) as { env?: unknown; headers?: unknown }
  const given = [...NamedValues.parse(env), ...NamedValues.parse(headers)]
  return given.filter(({ name }) => /key|token|secret|password|authorization/i.test(name))
}

async function readRunnerConfig(context: CommandContext): Promise<RunnerConfig> {
  const wrong = (why: string, cause?: unknown) =>
    new Trouble(
      'usage',
      `There is no letter of a hub on standard input: ${why}.`,
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
    // Not what stands there: it holds a token.
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
    start: (command, ears, signal) => startAgent(command, ears, { signal, mark }),
  })
}
