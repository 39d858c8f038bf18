import type { AgentStatus, RunStatus } from '@farhand/protocol/wire/run-status'

/** How a run stands, as the hub and this machine know it. */
export type Standing = {
  status: RunStatus
  agentStatus: AgentStatus
  /** Whether its agent works on a device, this one or another. */
  isOnDevice: boolean
  /** Whether a runner of it reads its orders, wherever. */
  isHeard: boolean
  /** What that one answered when it was last asked to rest. */
  rests: boolean | null
  /** Whether its runner is a process of this machine. */
  isHostedHere: boolean
}

export type Step =
  /** Something is under way that would be cut: it is waited for, or cancelled. */
  | { do: 'settle'; asks: boolean }
  /** Its runner saves what it has, and takes on nothing more. */
  | { do: 'rest' }
  /** Nobody is at work on it, and all that there is of it is at the hub: it is taken over. */
  | { do: 'take' }
  /** It has come before; what is left to do is what follows from that. */
  | { do: 'go-on' }
  | { do: 'nothing' }
  | { do: 'refuse'; why: 'closed' | 'other-device' }

/**
 * What comes next for a run that shall work here, or in a sandbox. Whatever was done of it, and whoever was killed at it, is
 * in how the run stands: to say it again goes on from there.
 */
export function decideHandoff(to: 'here' | 'cloud', run: Standing): Step {
  if (run.status === 'closed') return { do: 'refuse', why: 'closed' }
  const isElsewhere = run.isOnDevice && run.isHeard && !run.isHostedHere && run.rests !== true
  if (isElsewhere) return { do: 'refuse', why: 'other-device' }
  const isThere = run.isOnDevice === (to === 'here')
  if (isThere) return run.isHostedHere ? { do: 'nothing' } : { do: 'go-on' }
  // Without a runner nobody would ever end a turn that is open; the next one does.
  const isBusy = run.agentStatus !== 'idle' && run.isHeard
  if (isBusy) return { do: 'settle', asks: run.agentStatus === 'waiting' }
  return run.isHeard && run.rests !== true ? { do: 'rest' } : { do: 'take' }
}
