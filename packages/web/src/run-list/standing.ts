import type { ListedRun, RunNow } from '@farhand/protocol/schemas/api'

/** What one glance at a run in the list has to tell. */
export type StandingKind =
  | 'needs-you'
  | 'working'
  | 'starting'
  | 'done'
  | 'stopped'
  | 'failed'
  | 'paused'
  | 'asleep'
  | 'new'
  | 'closed'
  | 'unreadable'

export type Standing = {
  kind: StandingKind
  words: string
  /** Since when, where time is what one wants to know. */
  since: string | null
}

/** Ends of a turn after which what was asked for has not been done, and nobody wanted that. */
const badEnds: Readonly<Record<string, string>> = {
  failed: 'Failed',
  interrupted: 'Interrupted',
  limit: 'Stopped at its limit',
  refusal: 'Refused by the agent',
  max_tokens: 'Cut short by the model',
  max_turn_requests: 'Stopped at its limit',
}

/**
 * How a run stands, in a word or two: the one rule for the list and for the page of the run. A question comes first:
 * nothing moves until somebody answers.
 */
export function standing(run: Pick<ListedRun, 'now' | 'sandbox'>): Standing {
  const { now } = run
  if (!now) return { kind: 'unreadable', words: 'Its log cannot be read', since: null }
  const since = now.turnSince ?? null
  if (now.status === 'failed') return { kind: 'failed', words: 'Failed', since: null }
  if (now.status === 'closed') return { kind: 'closed', words: 'Closed', since: null }
  if (now.questions > 0) return { kind: 'needs-you', words: questions(now.questions), since: null }
  if (now.status === 'paused') return { kind: 'paused', words: 'Paused', since: null }
  if (now.closing) return { kind: 'starting', words: 'Closing', since: null }
  if (now.status === 'provisioning') return { kind: 'starting', words: 'Starting a sandbox', since }
  // A turn that is open while nobody hears of its runner goes on once there is one again (W29).
  if (now.agentStatus === 'thinking' && now.sandboxHealthy === false)
    return { kind: 'starting', words: 'Waiting for its runner', since: null }
  if (now.agentStatus === 'thinking') return { kind: 'working', words: 'Working', since }
  if (now.status === 'queued') return queued(run, now)
  return atRest(now)
}

const questions = (count: number) => (count === 1 ? 'Needs you' : `Needs you: ${count} questions`)

function queued({ sandbox }: Pick<ListedRun, 'now' | 'sandbox'>, { lastEventId }: RunNow): Standing {
  if (lastEventId === 0) return { kind: 'new', words: 'Not begun', since: null }
  const words = sandbox === 'none' ? 'Waiting for its device' : 'Waiting for a sandbox'
  return { kind: 'starting', words, since: null }
}

function atRest(now: RunNow): Standing {
  const badEnd = badEnds[now.stopReason ?? '']
  // What came of it is still what people ask about when it sleeps.
  const sleeps = now.status === 'asleep' ? ' · asleep' : ''
  // What was said last is not done, whatever came of what was said before it.
  if ((now.messagesWaiting ?? 0) > 0) return { kind: 'starting', words: 'Waiting for the agent', since: null }
  if (badEnd !== undefined) return { kind: 'failed', words: badEnd + sleeps, since: null }
  // All of its turns were taken back; an older hub says nothing of this.
  if (now.turns === 0 || now.stopReason === null)
    return sleeps
      ? { kind: 'asleep', words: 'Asleep', since: null }
      : { kind: 'new', words: 'Ready', since: null }
  if (now.stopReason === 'cancelled') return { kind: 'stopped', words: `Stopped${sleeps}`, since: null }
  return { kind: 'done', words: `Done${sleeps}`, since: null }
}
