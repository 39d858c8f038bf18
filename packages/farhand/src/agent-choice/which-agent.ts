import type { FoundAgent } from '@farhand/runner/catalogue/detect-agents'

export type AgentFacts = {
  /** Every agent that there is, in the order in which they are listed. */
  found: readonly FoundAgent[]
  /** The one that worked on this folder last; null if none has. */
  last: string | null
  /** Whether it is to work in a sandbox, where nobody can sign in. */
  isFar: boolean
}

export type WhichAgent = { is: 'this'; id: string; why: 'last' | 'only' } | { is: 'ask'; among: FoundAgent[] }

/** The agent that only plays one: it is offered, and never chosen for anybody. */
const rehearsal = 'rehearsal'

/** Which agent works where nobody has named one; if that is not clear, which to choose from. */
export function whichAgent({ found, last, isFar }: AgentFacts): WhichAgent {
  const canWork = ({ is }: FoundAgent) => is === 'usable' || (is === 'maybe' && !isFar)
  if (found.some(({ entry }) => entry.id === last)) return { is: 'this', id: last!, why: 'last' }
  const real = found.filter((one) => canWork(one) && one.entry.id !== rehearsal)
  const [only] = real
  if (only && real.length === 1) return { is: 'this', id: only.entry.id, why: 'only' }
  // Ours need nothing to be installed: who has no agent yet can begin with one of them.
  const among = found.filter((one) => canWork(one) || (one.entry.command === 'farhand' && one.program))
  return { is: 'ask', among }
}
