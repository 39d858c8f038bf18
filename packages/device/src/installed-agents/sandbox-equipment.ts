import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { mcpServersOf } from '@farhand/runner/catalogue/mcp-servers'
import { modelHosts } from '@farhand/runner/catalogue/model-hosts'
import { type StatePlace, stateFolderPath } from '../state/state-folder-path.ts'
import { Trouble } from '../trouble/trouble.ts'
import { placesBelow, sandboxEnvironment, sharedEnvironment } from './agent-environment.ts'
import { extraReadable, otherPrograms } from './extra-readable.ts'
import { localAgents, missingInWords, usableAgent } from './local-agents.ts'
import { findProgram, pathsOfNode, pathsOfOurs, pathsOfProgram, realPlace } from './program-paths.ts'

/** The machine of a hub, as its agents find it. */
export type HubMachine = StatePlace & {
  /** The program and the first arguments that start this command again. */
  self: readonly [string, ...string[]]
  /** The command with which the user keeps a secret. */
  secretSet: string
}

/** Whether the run gets the agent's settings from the hub's own environment, mainly API keys. */
type Shared = { getsKeys: boolean }

/** The folders of a sandbox, by the paths that they have inside. */
type Inside = { home: string; state: string }

const own = fileURLToPath(import.meta.url)
const isIn = (place: string, folder: string) => place.startsWith(`${folder}/`)
const isSecret = (name: string) => /KEY|TOKEN|SECRET|PASSWORD/i.test(name)

/** What a hub on this machine offers to its sandboxes: this command as their runner, and the agents of this machine. */
export function sandboxEquipment(context: HubMachine) {
  const node = realPlace(context.self[0])
  // The built command is one file; from sources it is started as this process was.
  const main = own.endsWith('.cjs') ? own : (context.self[1] ?? own)
  const self = [node, main] as const
  const ofOurs = [...pathsOfNode(node, context.home), ...pathsOfOurs(main)]
  const inside: HubMachine = { ...context, self }
  const found = `${path.dirname(node)}:${context.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'}`
  return {
    runner: { program: [...self, 'runner', '--letter'] as const, readable: ofOurs },
    path: found,
    agents: ({ getsKeys }: Shared) =>
      localAgents(stateFolderPath(undefined, inside), {
        ...inside,
        env: sharedEnvironment(context.env, getsKeys),
      }).map(({ entry, is, missing }) => ({
        id: entry.id,
        name: entry.name,
        state: is,
        missing: missing.map((group) => [...group]),
        install: entry.install ?? null,
      })),
    agent: (id: string, secrets: Readonly<Record<string, string>>, { getsKeys }: Shared) => {
      try {
        return equipped(id, secrets, { ...inside, env: sharedEnvironment(context.env, getsKeys) }, found)
      } catch (error) {
        if (error instanceof Trouble)
          return { impossible: `${error.message} ${error.nextStep}${getsKeys ? '' : ownKeys(context)}` }
        throw error
      }
    },
  }
}

function equipped(id: string, secrets: Readonly<Record<string, string>>, context: HubMachine, found: string) {
  // PATH is the hub's own: a secret of a run must not decide which programs of this machine are found.
  const env = { ...context.env, ...secrets, PATH: context.env.PATH }
  const agent = usableAgent(id, stateFolderPath(undefined, context), { ...context, env })
  const { entry } = agent
  // A sign-in on this machine does not count in the sandbox.
  if (agent.is === 'maybe')
    throw new Trouble(
      'failed',
      `${entry.name} cannot work in a sandbox yet: ${missingInWords(agent)}.`,
      `Keep it as a secret (\`${context.secretSet}\`) and name that when you make the run, or set it where the hub is started.`,
    )
  const [program, ...first] = agent.program
  const isOurs = entry.command === 'farhand'
  const passed = Object.fromEntries(entry.passes.map((name) => [name, context.env[name]]))
  const others = otherPrograms(entry, found)
  const further = extraReadable(entry, context)
  const envIn = (places: Inside, own: Readonly<Record<string, string>> = secrets) => {
    const PATH = others.length > 0 ? `${places.state}/agent/bin:${found}` : found
    return {
      ...sandboxEnvironment(
        entry,
        { ...passed, ...own, PATH, HOME: places.home, LANG: 'C.UTF-8' },
        `${places.state}/agent`,
      ),
      ...own,
    }
  }
  const nowhere = { home: '/', state: '/' }
  // The sandbox does not have the symlinks by which a program is found here.
  const servers = mcpServersOf(entry.mcpServers, env).map((server) =>
    'command' in server
      ? { ...server, command: realPlace(findProgram(server.command, found) ?? server.command) }
      : server,
  )
  // From the operator's environment alone: a secret of a run must not make a file of this machine readable.
  const theirs = mcpServersOf(entry.mcpServers, context.env)
  const programs = [
    ...(isOurs ? [] : [program, ...entry.args]),
    ...servers.flatMap((server) => ('command' in server ? [server.command] : [])),
    ...theirs.flatMap((server) => ('command' in server ? server.args : [])),
    ...others.map(({ place }) => place),
  ]
  const readable = [
    ...new Set([
      ...programs.filter(path.isAbsolute).flatMap(pathsOfProgram),
      ...further.map(({ place }) => place),
    ]),
  ]
  const inside = (places: Inside) => {
    const env = envIn(places)
    const state = `${places.state}/agent`
    const links = [
      ...others.map(({ name, place }) => [`${state}/bin/${name}`, place]),
      ...further.flatMap(({ inHome, place }) => (inHome ? [[`${env.HOME}/${inHome}`, place]] : [])),
    ]
    return { env, places: { ...placesBelow(state, entry), links: Object.fromEntries(links) } }
  }
  return {
    readable,
    modelHosts: modelHosts(entry.hosts, envIn(nowhere)),
    operatorHosts: modelHosts([], envIn(nowhere, {})),
    secrets: [...new Set([...Object.keys(secrets), ...entry.passes.filter(isSecret)])],
    inside: (places: Inside) => ({
      ...inside(places),
      // A program in a readable folder keeps its path: Python finds its packages by that.
      command: isOurs || further.some(({ place }) => isIn(program, place)) ? program : realPlace(program),
      args: [...first, ...entry.args],
      mcpServers: servers,
      memory: entry.memory,
      // What Farhand's own agents need is always readable.
      ...(!isOurs && { readable }),
      ...(entry.unasked.sandbox !== undefined && { unasked: entry.unasked.sandbox }),
      ...(entry.denyMode !== undefined && { denyMode: entry.denyMode }),
      ...(entry.hidesContext && { hidesContext: true }),
      signIn: `You cannot sign in to it inside a sandbox: keep its key as a secret of the project (\`${context.secretSet}\`).`,
    }),
  }
}

const ownKeys = (context: HubMachine) =>
  ` The keys of this hub are for its owner: keep your own as a secret of the project (\`${context.secretSet}\`) and name it when you make the run.`
