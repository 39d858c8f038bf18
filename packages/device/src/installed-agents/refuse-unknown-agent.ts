import type { Hub } from '@farhand/client/requests/hub'
import { listAgents } from '@farhand/client/resources/resources'
import { nearestNames } from '@farhand/kit/nearest-names'
import { Trouble } from '../trouble/trouble.ts'

/** Throws if the hub does not know the agent either. Nothing has been sent by then. */
export async function refuseUnknownAgent(agent: string, hub: Hub, signal: AbortSignal): Promise<void> {
  const ids = (await listAgents(hub, { signal })).agents.map(({ id }) => id)
  // A hub without sandboxes lists no agents, and reports itself what it cannot do.
  if (ids.length === 0 || ids.includes(agent)) return
  const near = nearestNames(agent, ids)
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''
  throw new Trouble(
    'usage',
    `The hub has no agent called ${JSON.stringify(agent)}.`,
    `${meant}It has ${ids.join(', ')}. Nothing was sent, and nothing was started.`,
  )
}
