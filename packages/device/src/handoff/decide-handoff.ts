import type { AgentStatus, RunStatus } from '@farhand/protocol/wire/run-status'

/** The state of a run, from the hub and this machine. */
export type HandoffState = {
  status: RunStatus
  agentStatus: AgentStatus
  isOnDevice: boolean
  /** Whether a runner of the run is connected, from any place. */
  isHeard: boolean
  /** The runner's answer when it was last asked to rest. */
  rests: boolean | null
  /** Whether the runner is a process of this machine. */
  isHostedHere: boolean
}

export type Step =
  /** A turn is under way: wait for it, or cancel it. */
  | { do: 'settle'; asks: boolean }
  /** The runner saves everything and accepts no more work. */
  | { do: 'rest' }
  /** No runner works on the run, and the hub has everything: take it over. */
  | { do: 'take' }
  /** The run was already moved: do what follows from that. */
  | { do: 'go-on' }
  | { do: 'nothing' }
  | { do: 'refuse'; why: 'closed' | 'other-device' }

/**
 * The next step of a handoff. It depends only on the run's state, so that a handoff that was interrupted goes on when
 * it is called again.
 */
export function decideHandoff(to: 'here' | 'cloud', run: HandoffState): Step {
  if (run.status === 'closed') return { do: 'refuse', why: 'closed' }
  const isElsewhere = run.isOnDevice && run.isHeard && !run.isHostedHere && run.rests !== true
  if (isElsewhere) return { do: 'refuse', why: 'other-device' }
  const isThere = run.isOnDevice === (to === 'here')
  if (isThere) return run.isHostedHere ? { do: 'nothing' } : { do: 'go-on' }
  // An open turn without a runner would stay open; the next runner ends it.
  const isBusy = run.agentStatus !== 'idle' && run.isHeard
  if (isBusy) return { do: 'settle', asks: run.agentStatus === 'waiting' }
  return run.isHeard && run.rests !== true ? { do: 'rest' } : { do: 'take' }
}
