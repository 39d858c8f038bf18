import type { FoundAgent } from '@farhand/runner/catalogue/detect-agents'

export type AgentFacts = {
  /** All agents, in the order in which they are listed. */
  found: readonly FoundAgent[]
  /** The agent that worked on this folder last; null if there was none. */
  last: string | null
  /** Whether the agent is to work in a sandbox, where the user cannot sign in to it. */
  isFar: boolean
}

export type WhichAgent = { is: 'this'; id: string; why: 'last' | 'only' } | { is: 'ask'; among: FoundAgent[] }

/** The rehearsal is offered in the list, but never chosen automatically. */
const rehearsal = 'rehearsal'

/** The agent to use if the user named none; the candidates to ask about if that is not clear. */
export function whichAgent({ found, last, isFar }: AgentFacts): WhichAgent {
  const canWork = ({ is }: FoundAgent) => is === 'usable' || (is === 'maybe' && !isFar)
  if (found.some(({ entry }) => entry.id === last)) return { is: 'this', id: last!, why: 'last' }
  const real = found.filter((one) => canWork(one) && one.entry.id !== rehearsal)
  const [only] = real
  if (only && real.length === 1) return { is: 'this', id: only.entry.id, why: 'only' }
  // Our own agents need no installation: a user without any agent can begin with them.
  const among = found.filter((one) => canWork(one) || (one.entry.command === 'farhand' && one.program))
  return { is: 'ask', among }
}
