import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Equipment, EquippedAgent } from '@farhand/hub/lifecycle/equipment'
import { mcpServersOf } from '@farhand/runner/agent/mcp-servers'
import { modelHosts } from '@farhand/runner/agent/model-hosts'
import { sandboxEnvironment } from './agent-environment.ts'
import { agentsHere, missingInWords, usableAgent } from './agents-here.ts'
import { findProgram, pathsOfNode, pathsOfOurs, pathsOfProgram, realPlace } from './program-paths.ts'
import { statePlace } from './state-place.ts'
import { Trouble } from './trouble.ts'
import type { World } from './world.ts'

const own = fileURLToPath(import.meta.url)
const isSecret = (name: string) => /KEY|TOKEN|SECRET|PASSWORD/i.test(name)

/** What a hub on this machine has for its sandboxes: this very command, and the agents that are here. */
export function sandboxEquipment(world: World): Equipment {
  const node = realPlace(world.self[0])
  // Built, it is one file that needs none of its sources; else it is started as whoever started us did it.
  const main = own.endsWith('.cjs') ? own : (world.self[1] ?? own)
  const self = [node, main] as const
  const ofOurs = [...pathsOfNode(node, world.home), ...pathsOfOurs(main)]
  const inside: World = { ...world, self }
  const found = `${path.dirname(node)}:${world.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'}`
  return {
    runner: { program: [...self, 'runner', '--letter'], readable: ofOurs },
    path: found,
    agents: () =>
      agentsHere(statePlace(undefined, inside), inside).map(({ entry, is, missing }) => ({
        id: entry.id,
        name: entry.name,
        state: is,
        missing: missing.map((group) => [...group]),
        install: entry.install ?? null,
      })),
    agent: (id, secrets) => {
      try {
        return equipped(id, secrets, inside, found)
      } catch (error) {
        if (error instanceof Trouble) return { impossible: `${error.message} ${error.nextStep}` }
        throw error
      }
    },
  }
}

function equipped(
  id: string,
  secrets: Readonly<Record<string, string>>,
  world: World,
  found: string,
): EquippedAgent {
  const env = { ...world.env, ...secrets }
  const agent = usableAgent(id, statePlace(undefined, world), { ...world, env })
  const { entry } = agent
  // Whoever has signed in on this machine has not done so in the sandbox.
  if (agent.is === 'maybe')
    throw new Trouble(
      'failed',
      `${entry.name} cannot work in a sandbox yet: ${missingInWords(agent)}.`,
      `Keep it as a secret (\`${world.called.farhand} secret set\`) and name that when you make the run, or set it where the hub is started.`,
    )
  const [program, ...first] = agent.program
  const isOurs = entry.command === 'farhand'
  const passed = Object.fromEntries(entry.passes.map((name) => [name, world.env[name]]))
  const envIn = (places: { home: string; state: string }) => ({
    ...sandboxEnvironment(
      entry,
      { ...passed, ...secrets, PATH: found, HOME: places.home, LANG: 'C.UTF-8' },
      `${places.state}/agent`,
    ),
    ...secrets,
  })
  // Inside there is none of the links by which a program is found here.
  const servers = mcpServersOf(entry.mcpServers, env).map((server) =>
    'command' in server
      ? { ...server, command: realPlace(findProgram(server.command, found) ?? server.command) }
      : server,
  )
  const programs = [
    ...(isOurs ? [] : [program, ...entry.args]),
    ...servers.flatMap((server) => ('command' in server ? [server.command, ...server.args] : [])),
  ]
  return {
    readable: [...new Set(programs.filter(path.isAbsolute).flatMap(pathsOfProgram))],
    modelHosts: modelHosts(entry.hosts, envIn({ home: '/', state: '/' })),
    secrets: [...new Set([...Object.keys(secrets), ...entry.passes.filter(isSecret)])],
    inside: (places) => ({
      command: isOurs ? program : realPlace(program),
      args: [...first, ...entry.args],
      env: envIn(places),
      mcpServers: servers,
      memory: entry.memory,
      signIn: `In a sandbox nobody can sign in: keep its key as a secret of the project (\`${world.called.farhand} secret set\`).`,
    }),
  }
}
