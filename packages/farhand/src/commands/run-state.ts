import type { RunNow } from '@farhand/protocol/schemas/api'

/** What the state of a run depends on. */
export type Standing = Pick<RunNow, 'status' | 'agentStatus' | 'sandboxHealthy'> & { sandbox?: string | null }

/** The state of a run in a word: its status, or what its agent does. */
export const stateInWords = (now: Standing, pid: number | null) =>
  isLeft(now, pid) ? 'no runner' : now.status === 'active' ? now.agentStatus : now.status

/** Whether a turn is open in the log although no runner works on it: a killed runner has not ended its turn. */
export const isLeft = ({ status, agentStatus, sandboxHealthy, sandbox }: Standing, pid: number | null) =>
  status === 'active' &&
  agentStatus !== 'idle' &&
  sandboxHealthy === false &&
  pid === null &&
  // The hub replaces a dead sandbox itself.
  (!sandbox || sandbox === 'none')
