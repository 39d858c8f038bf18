import type { Hub } from '@farhand/client/requests/hub'
import { localAgents, unknownAgent } from '@farhand/device/installed-agents/local-agents'
import { refuseAgent } from '@farhand/device/installed-agents/refuse-agent'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { asHubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { chooseAgent } from '../agents/choose-agent.ts'
import { hubAccess } from '../find-run/hub-access.ts'
import type { AgentRunFlags } from './run-flags.ts'
import type { SandboxAsked } from './sandbox-flags.ts'

/** The agent that shall work in a sandbox, and the hub that has it; throws if the hub's sandboxes cannot have this agent. */
export async function agentForSandbox(
  folder: string,
  { terms }: SandboxAsked,
  flags: AgentRunFlags,
  state: StateFolder,
  context: CommandContext,
): Promise<{ agent: string; hub: Hub & { token: string } }> {
  const choice = { state, folder, isFar: true, json: flags.json === true }
  const agent = await chooseAgent(flags.agent, choice, context)
  const agents = localAgents(state.root, context)
  const found = agents.find(({ entry }) => entry.id === agent)
  const wants = found?.entry.passes ?? []
  const hub = await hubAccess(flags, state, context, { folder: folder || context.cwd, begins: true, wants })
  // A remote hub may have agents that this machine does not know.
  const isOwn = new LocalHub(state.root).note?.urls.includes(hub.url) === true
  if (!found && isOwn) throw unknownAgent(agent, agents, state.root)
  if (found?.is === 'usable' && isOwn) return { agent, hub }
  const hasSecrets = (terms.secrets ?? []).length > 0
  await refuseAgent(agent, { hub, hasSecrets, signal: context.stop }).catch(asHubTrouble(hub.url, context))
  return { agent, hub }
}
