import type { ListedRun } from '@farhand/protocol/schemas/api'
import { standing } from '@farhand/story/wording/standing'

/** What the state of a run depends on; `now` is null if its log cannot be read. */
type ListedState = Pick<ListedRun, 'now' | 'sandbox'>

/** The state of a run in a word or two, as everywhere; `pid` is the process here that works on it. */
export const stateInWords = (run: ListedState, pid: number | null) =>
  isLeft(run, pid) ? 'No runner' : standing(run).words

/** Whether a turn is open in the log although no runner works on it: a killed runner has not ended its turn. */
export const isLeft = ({ now, sandbox }: ListedState, pid: number | null) =>
  now?.status === 'active' &&
  now.agentStatus !== 'idle' &&
  now.sandboxHealthy === false &&
  pid === null &&
  // The hub replaces a dead sandbox itself.
  (!sandbox || sandbox === 'none')
