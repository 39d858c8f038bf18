import type { Hub } from '@farhand/client/requests/hub'
import { listAgents } from '@farhand/client/resources/resources'
import { nearestNames } from '@farhand/kit/nearest-names'
import { Trouble } from '../trouble/trouble.ts'
import { missingInWords } from './local-agents.ts'

type Refusing = { hub: Hub; hasSecrets: boolean; signal: AbortSignal }

/**
 * Throws if the hub's sandboxes cannot have this agent: it is unknown there, not installed, or has no key and the run names no
 * secret that could be one. Nothing has been sent by then.
 */
export async function refuseAgent(agent: string, { hub, hasSecrets, signal }: Refusing): Promise<void> {
  // An older hub has no such list; one that does not answer is reported by the next request.
  const { agents } = await listAgents(hub, { signal }).catch(() => ({ agents: [] }))
  // A hub without sandboxes lists no agents, and reports itself what it cannot do.
  if (agents.length === 0) return
  const listed = agents.find(({ id }) => id === agent)
  if (!listed)
    throw unknownAtHub(
      agent,
      agents.map(({ id }) => id),
    )
  const { name, state, install } = listed
  const nothingSent = 'Nothing was sent, and nothing was started.'
  if (state === 'not-installed')
    throw new Trouble(
      'failed',
      `${name} is not installed where the hub is.`,
      `${install === null ? 'Install it there.' : `There: ${install}`} ${nothingSent}`,
    )
  if (state === 'usable' || hasSecrets) return
  // `maybe`: the agent's sign-in on that machine does not count in a sandbox.
  throw new Trouble(
    'failed',
    `${name} cannot work in a sandbox yet: ${missingInWords(listed)}.`,
    `Set it where the hub is started, or keep it as a secret of the project and name that with --secret. ${nothingSent}`,
  )
}

function unknownAtHub(agent: string, ids: readonly string[]): Trouble {
  const near = nearestNames(agent, ids)
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''
  return new Trouble(
    'usage',
    `The hub has no agent called ${JSON.stringify(agent)}.`,
    `${meant}It has ${ids.join(', ')}. Nothing was sent, and nothing was started.`,
  )
}
