import type { ListedRun, RunNow } from '@farhand/protocol/schemas/api'

/** The kinds of state that the list shows with an icon. */
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
  /** The start of the state, where the duration matters. */
  since: string | null
}

/** Stop reasons after which the task is not done, without the user having stopped it. */
const badEnds: Readonly<Record<string, string>> = {
  failed: 'Failed',
  interrupted: 'Interrupted',
  limit: 'Stopped at its limit',
  refusal: 'Refused by the agent',
  max_tokens: 'Cut short by the model',
  max_turn_requests: 'Stopped at its limit',
}

/**
 * The state of a run in a word or two: one rule for the list and for the page of the run. An open question comes
 * first, because nothing moves until it is answered.
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
  // A turn whose runner is not heard of continues when there is a runner again (W29).
  if (now.agentStatus === 'thinking' && now.sandboxHealthy === false)
    return { kind: 'starting', words: 'Waiting for its runner', since: null }
  if (now.agentStatus === 'thinking') return { kind: 'working', words: 'Working', since }
  if (now.status === 'queued') return queued(run, now)
  return atRest(now)
}

const questions = (count: number) => (count === 1 ? 'Needs you' : `Needs you: ${count} questions`)

function queued({ sandbox }: Pick<ListedRun, 'now' | 'sandbox'>, { lastEventId }: RunNow): Standing {
  if (lastEventId === 0) return { kind: 'new', words: 'Not started', since: null }
  const words = sandbox === 'none' ? 'Waiting for its device' : 'Waiting for a sandbox'
  return { kind: 'starting', words, since: null }
}

function atRest(now: RunNow): Standing {
  const badEnd = badEnds[now.stopReason ?? '']
  // While a run sleeps, its result still matters to the user.
  const sleeps = now.status === 'asleep' ? ' · asleep' : ''
  // The last message is not done yet, even if the one before has a result.
  if ((now.messagesWaiting ?? 0) > 0) return { kind: 'starting', words: 'Waiting for the agent', since: null }
  if (badEnd !== undefined) return { kind: 'failed', words: badEnd + sleeps, since: null }
  // All turns were rewound; an older hub does not say `turns`.
  if (now.turns === 0 || now.stopReason === null)
    return sleeps
      ? { kind: 'asleep', words: 'Asleep', since: null }
      : { kind: 'new', words: 'Ready', since: null }
  if (now.stopReason === 'cancelled') return { kind: 'stopped', words: `Stopped${sleeps}`, since: null }
  return { kind: 'done', words: `Done${sleeps}`, since: null }
}
