import type { RunView } from '@farhand/protocol/runs/run-view'

/** What is known of the sandbox of a run, from the store and from its connection. Times are in ms. */
export type KnownSandbox = {
  generation: number
  /** `started`: its runner has not connected yet. `working`: it has. */
  state: 'starting' | 'started' | 'working'
  since: number
  /** Why its program has ended or could not be started; null while it runs. */
  ended: string | null
  /** When its runner was last heard, or could first have been. */
  heardAt: number
  isHeard: boolean
}

/** The recent failures of a run's sandboxes. */
export type Failures = {
  count: number
  lastAt: number
  /** How many turns had ended at the last failure. */
  turns: number
  why: string
  /** The newest event for which a sandbox was tried. */
  triedFor: number
}

export type Facts = {
  now: number
  /** Converts the time stamp of an event to the clock of `now`. */
  timeOf?: (stamp: string) => number
  view: RunView
  sandbox: KnownSandbox | null
  failures: Failures
  /** Whether a runner that this hub did not start works on the run. */
  hasOtherRunner: boolean
  /** Whether its last runner was in a sandbox of this hub. */
  isOurs: boolean
  /** Why this run can have no sandbox at all; null if it can. */
  impossible: string | null
  /** Whether one more sandbox may be started for it now. */
  hasRoom: boolean
}

export type Terms = {
  provisionMs: number
  startMs: number
  silentMs: number
  idleMs: number
  /** How long a runner may take to save its work before it rests. */
  restMs: number
  /** How long after a refusal to rest it is asked again. */
  askAgainMs: number
  /** After this many failures, each within `failuresWithinMs` of the last and with no finished turn between, the hub stops trying. */
  mostFailures: number
  failuresWithinMs: number
  retryMs: number
}

export type Step =
  /** Wait for the next event, or until this time if it is not null; `isInLine`: or until there is room. */
  | { do: 'wait'; until: number | null; isInLine?: true }
  | { do: 'queue' }
  | { do: 'provision' }
  /** Its runner has connected: the start is complete. */
  | { do: 'welcome' }
  /** The sandbox is removed. `isFailure` counts towards `mostFailures`; otherwise the run no longer needed it. */
  | { do: 'remove'; why: string; isFailure: boolean }
  | { do: 'ask-rest' }
  | { do: 'sleep' }
  | { do: 'fail'; why: string }

/** The next step for a run. The keeper calls it again after each step. */
export function decide(facts: Facts, terms: Terms): Step {
  return facts.sandbox ? withSandbox(facts, facts.sandbox, terms) : withoutSandbox(facts, terms)
}

/** The newest event that makes a run need a sandbox; 0 if only its status does, null if it needs none. */
export function eventNeedingSandbox(view: RunView): number | null {
  if (view.closing || view.status === 'closed') return null
  const paused = view.status === 'paused'
  const wishes = view.openAsks.map(({ eventId }) => eventId)
  if (!paused) {
    for (const { messageId } of view.openTurns) wishes.push(messageId)
    wishes.push(view.unacked.at(-1)?.at(-1) ?? 0)
  }
  const newest = Math.max(0, ...wishes)
  if (newest > 0) return newest
  return view.status === 'queued' || view.status === 'provisioning' ? 0 : null
}

/** Whether something is under way that idleness must not interrupt (W37). */
export function isBusy(view: RunView): boolean {
  return (
    view.openTurns.length > 0 ||
    view.openQuestions.length > 0 ||
    view.openAsks.length > 0 ||
    // While paused, messages wait for the user and the agent does not work on them.
    (view.unacked.length > 0 && view.status !== 'paused')
  )
}

function withoutSandbox(facts: Facts, terms: Terms): Step {
  const { view, now, failures, hasOtherRunner, isOurs, impossible, hasRoom } = facts
  if (view.closing || view.status === 'closed' || view.place === 'none') return wait
  // While a runner that the user started is connected, the hub does not replace it.
  if (hasOtherRunner) return view.status === 'provisioning' ? { do: 'welcome' } : wait
  const wanted = eventNeedingSandbox(view)
  // The status of a run that the user's own runner works on is set by that runner.
  if (wanted === null) return isOurs && isAwake(view) ? { do: 'sleep' } : wait
  // With a new message, or when the user opens the run again, the cause of the failure may be gone.
  const isNew = wanted > failures.triedFor || view.status === 'queued'
  if (view.status === 'failed' && !isNew) return wait
  if (impossible !== null) return { do: 'fail', why: impossible }
  if (isTripped(failures, terms, now) && !isNew) return { do: 'fail', why: failures.why }
  const until = failures.count > 1 && !isNew ? failures.lastAt + (failures.count - 1) * terms.retryMs : 0
  if (until > now) return { do: 'wait', until }
  if (hasRoom) return { do: 'provision' }
  // The status `queued` would resume a paused run.
  const isTold = view.status === 'queued' || view.status === 'paused'
  return isTold ? { ...wait, isInLine: true } : { do: 'queue' }
}

function withSandbox(facts: Facts, sandbox: KnownSandbox, terms: Terms): Step {
  const { view, now } = facts
  if (view.status === 'closed') return remove('the run is closed')
  if (view.place === 'none') return remove('the run works on a device now')
  if (view.generation > sandbox.generation) return remove('another runner has taken over')
  if (sandbox.ended !== null) return afterItsEnd(view, sandbox.ended)
  if (sandbox.state === 'starting') {
    const until = sandbox.since + terms.provisionMs
    return now < until ? { do: 'wait', until } : failed(`no sandbox within ${inWords(terms.provisionMs)}`)
  }
  if (sandbox.state === 'started') {
    if (sandbox.isHeard) return { do: 'welcome' }
    const until = sandbox.since + terms.startMs
    return now < until
      ? { do: 'wait', until }
      : failed(`its runner did not connect within ${inWords(terms.startMs)}`)
  }
  const silentUntil = sandbox.heardAt + terms.silentMs
  if (now >= silentUntil) return failed(`nothing was heard of its runner for ${inWords(terms.silentMs)}`)
  // Closing has its own time limits, after which the run is closed.
  if (view.closing) return { do: 'wait', until: silentUntil }
  const next = resting(facts, sandbox, terms)
  return next.do === 'wait' ? { do: 'wait', until: earlier(next.until, silentUntil) } : next
}

/** The step for a working sandbox, which may be idle. */
function resting(facts: Facts, sandbox: KnownSandbox, terms: Terms): Step {
  const { view, now, timeOf = Date.parse } = facts
  const { rest } = view
  if (rest?.rests === true) return remove('nothing to do')
  if (isBusy(view)) return whileBusy(facts, terms)
  const active = view.lastActivityAt === null ? 0 : timeOf(view.lastActivityAt)
  // A rest request older than the last activity no longer counts.
  if (rest && rest.rests === null && timeOf(rest.askedAt) >= active) {
    const until = timeOf(rest.askedAt) + terms.restMs
    return now < until
      ? { do: 'wait', until }
      : remove('nothing to do, and its runner did not say that it rests')
  }
  const refused = rest?.answeredAt ? timeOf(rest.answeredAt) + terms.askAgainMs : 0
  const until = Math.max(Math.max(active, sandbox.since) + terms.idleMs, refused)
  return now < until ? { do: 'wait', until } : { do: 'ask-rest' }
}

/** A runner answers a rest request before it starts other work: one that does neither is stuck. */
function whileBusy({ view, now, timeOf = Date.parse }: Facts, terms: Terms): Step {
  const { rest, openTurns } = view
  if (!rest || rest.rests !== null || openTurns.length > 0) return wait
  const until = timeOf(rest.askedAt) + terms.restMs
  return now < until ? { do: 'wait', until } : failed('its runner was to rest, and did not say anything')
}

function afterItsEnd(view: RunView, ended: string): Step {
  if (view.rest?.rests === true) return remove('nothing to do')
  // A run with nothing to do, or about to be closed, needs no replacement now.
  return eventNeedingSandbox(view) === null ? remove(ended) : failed(ended)
}

/** Adds a failure. The count starts again at 1 after a finished turn or a long pause. */
export function oneMore(failures: Failures, why: string, turns: number, now: number, terms: Terms): Failures {
  const goesOn =
    failures.count > 0 && turns === failures.turns && now - failures.lastAt <= terms.failuresWithinMs
  return goesOn
    ? { ...failures, count: failures.count + 1, lastAt: now, why }
    : { ...failures, count: 1, lastAt: now, turns, why }
}

const isTripped = (failures: Failures, terms: Terms, now: number) =>
  failures.count >= terms.mostFailures && now - failures.lastAt <= terms.failuresWithinMs

/** Whether the log says that the run has a sandbox or is getting one. */
export function isAwake({ status, pausedFrom }: RunView): boolean {
  const said = status === 'paused' ? pausedFrom : status
  return said === 'active' || said === 'provisioning'
}

const wait: Step & { do: 'wait' } = { do: 'wait', until: null }
const remove = (why: string): Step => ({ do: 'remove', why, isFailure: false })
const failed = (why: string): Step => ({ do: 'remove', why, isFailure: true })

const earlier = (one: number | null, other: number) => (one === null ? other : Math.min(one, other))

const inWords = (ms: number) => (ms >= 60_000 ? `${ms / 60_000} min` : `${ms / 1000} s`)
