import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { McpServer } from '@modelcontextprotocol/server'
import type { CommandContext } from '../../context/command-context.ts'
import { version } from '../../context/version.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { addDelegationTools } from './delegation-tools.ts'
import { addFileTools } from './file-tools.ts'
import { reachHub } from './reach-hub.ts'

const instructions =
  'Delegates tasks to agents in sandboxes of a Farhand hub. The skill cloud-agent says when that is a good idea: when the work must survive ' +
  'this computer, needs a sandbox, or is to be followed from a phone. cloud_agent starts a task, the other tools are about tasks that were started.'

// A question of a task is one round of a call. A task that asks more is followed by further calls.
const mostRounds = 25

export type McpFlags = ReachFlags & { agent?: unknown; sandbox?: unknown }

/** A server with all tools, for one host; the hub is looked for when a tool is called. */
export function cloudAgentServer(flags: McpFlags, context: CommandContext): McpServer {
  const server = new McpServer(
    { name: 'farhand', title: 'Farhand', version },
    { capabilities: { tools: {} }, instructions, inputRequired: { maxRounds: mostRounds } },
  )
  const reach = reachHub(flags, context)
  addDelegationTools(server, reach, {
    ...(flags.agent !== undefined && { agent: String(flags.agent) }),
    ...(flags.sandbox !== undefined && { sandbox: String(flags.sandbox) }),
  })
  addFileTools(server, reach, { state: stateFolderPath(flags.state, context), context })
  return server
}
