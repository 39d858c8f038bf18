import type { RunView } from '@farhand/protocol/runs/run-view'

/** What is known of the sandbox of a run: what was noted of it, and what can be seen of it now. Times are in ms. */
export type KnownSandbox = {
  generation: number
  /** Being started, started and not heard of yet, or at work. */
  state: 'starting' | 'started' | 'working'
  since: number
  /** Why its program has ended, or could not be started, if so. */
  ended: string | null
  /** When its runner was last heard, or could have been. */
  heardAt: number
  isHeard: boolean
}

/** What went wrong with the sandboxes of a run, as far as it still counts. */
export type Failures = {
  count: number
  lastAt: number
  /** How many turns were over at the last one. */
  turns: number
  why: string
  /** The newest eventNeedingSandbox for which a sandbox was tried. */
  triedFor: number
}

export type Facts = {
  now: number
  /** When an event of the log was, by the same clock as `now`. */
  timeOf?: (stamp: string) => number
  view: RunView
  sandbox: KnownSandbox | null
  failures: Failures
  /** Somebody else's runner is at work on it. */
  hasOtherRunner: boolean
  /** Its last runner was in a sandbox of ours. */
  isOurs: boolean
  /** Why there can be no sandbox for this run at all, in words. */
  impossible: string | null
  /** Whether one more sandbox may be started for it now. */
  hasRoom: boolean
}

export type Terms = {
  provisionMs: number
  startMs: number
  silentMs: number
  idleMs: number
  /** How long a runner may take to save what it has before it rests. */
  restMs: number
  /** How long after a refusal to rest it is asked again. */
  askAgainMs: number
  /** So many failures, each so soon after the one before it, without a turn that came to its end, are enough. */
  mostFailures: number
  failuresWithinMs: number
  retryMs: number
}

export type Step =
  /** Nothing, until something happens; or until this time, if that is not null. In line it is until there is room. */
  | { do: 'wait'; until: number | null; isInLine?: true }
  | { do: 'queue' }
  | { do: 'provision' }
  /** Its runner was heard: what was begun is done. */
  | { do: 'welcome' }
  /** The sandbox is removed. A failure counts for the breaker; else nobody needed it any more. */
  | { do: 'remove'; why: string; isFailure: boolean }
  | { do: 'ask-rest' }
  | { do: 'sleep' }
  | { do: 'fail'; why: string }

/** What is to be done next for a run that the hub has sandboxes for. Whatever is done, it is asked again after it. */
export function decide(facts: Facts, terms: Terms): Step {
  return facts.sandbox ? withSandbox(facts, facts.sandbox, terms) : withoutSandbox(facts, terms)
}

/** The newest event because of which a run should have a sandbox; 0 if there is one, null if there is none. */
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

/** Whether something is under way that may not be ended because nobody has said anything for a while (W37). */
export function isBusy(view: RunView): boolean {
  return (
    view.openTurns.length > 0 ||
    view.openQuestions.length > 0 ||
    view.openAsks.length > 0 ||
    // While paused they wait for a person, and nobody works on them.
    (view.unacked.length > 0 && view.status !== 'paused')
  )
}

function withoutSandbox(facts: Facts, terms: Terms): Step {
  const { view, now, failures, hasOtherRunner, isOurs, impossible, hasRoom } = facts
  if (view.closing || view.status === 'closed' || view.place === 'none') return wait
  // Whoever brings a runner of their own is not fenced out as long as it is there.
  if (hasOtherRunner) return view.status === 'provisioning' ? { do: 'welcome' } : wait
  const wanted = eventNeedingSandbox(view)
  // What is said of a runner that somebody else brought is theirs to say.
  if (wanted === null) return isOurs && isAwake(view) ? { do: 'sleep' } : wait
  // Somebody who wants something else, or opens it again, may know that it works now.
  const isNew = wanted > failures.triedFor || view.status === 'queued'
  if (view.status === 'failed' && !isNew) return wait
  if (impossible !== null) return { do: 'fail', why: impossible }
  if (isTripped(failures, terms, now) && !isNew) return { do: 'fail', why: failures.why }
  const until = failures.count > 1 && !isNew ? failures.lastAt + (failures.count - 1) * terms.retryMs : 0
  if (until > now) return { do: 'wait', until }
  if (hasRoom) return { do: 'provision' }
  // To call a paused run queued would resume it.
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
      : failed(`its runner was not heard of within ${inWords(terms.startMs)}`)
  }
  const silentUntil = sandbox.heardAt + terms.silentMs
  if (now >= silentUntil) return failed(`nothing was heard of its runner for ${inWords(terms.silentMs)}`)
  // Closing has time limits of its own; when it is over the run is closed.
  if (view.closing) return { do: 'wait', until: silentUntil }
  const next = resting(facts, sandbox, terms)
  return next.do === 'wait' ? { do: 'wait', until: earlier(next.until, silentUntil) } : next
}

/** A working sandbox in which, perhaps, nothing happens. */
function resting(facts: Facts, sandbox: KnownSandbox, terms: Terms): Step {
  const { view, now, timeOf = Date.parse } = facts
  const { rest } = view
  if (rest?.rests === true) return remove('nothing to do')
  if (isBusy(view)) return whileBusy(facts, terms)
  const active = view.lastActivityAt === null ? 0 : timeOf(view.lastActivityAt)
  // What was asked before somebody did something is no longer meant.
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

/** Asked to rest, a runner says something before it begins with anything else: one that does neither is stuck. */
function whileBusy({ view, now, timeOf = Date.parse }: Facts, terms: Terms): Step {
  const { rest, openTurns } = view
  if (!rest || rest.rests !== null || openTurns.length > 0) return wait
  const until = timeOf(rest.askedAt) + terms.restMs
  return now < until ? { do: 'wait', until } : failed('its runner was to rest, and did not say anything')
}

function afterItsEnd(view: RunView, ended: string): Step {
  if (view.rest?.rests === true) return remove('nothing to do')
  // With nothing to do, or about to be closed, it need not be replaced: the next eventNeedingSandbox brings another.
  return eventNeedingSandbox(view) === null ? remove(ended) : failed(ended)
}

/** These failures, and one more. */
export function oneMore(failures: Failures, why: string, turns: number, now: number, terms: Terms): Failures {
  const goesOn =
    failures.count > 0 && turns === failures.turns && now - failures.lastAt <= terms.failuresWithinMs
  return goesOn
    ? { ...failures, count: failures.count + 1, lastAt: now, why }
    : { ...failures, count: 1, lastAt: now, turns, why }
}

const isTripped = (failures: Failures, terms: Terms, now: number) =>
  failures.count >= terms.mostFailures && now - failures.lastAt <= terms.failuresWithinMs

/** Whether the log says that there is a sandbox, or will be. */
export function isAwake({ status, pausedFrom }: RunView): boolean {
  const said = status === 'paused' ? pausedFrom : status
  return said === 'active' || said === 'provisioning'
}

const wait: Step & { do: 'wait' } = { do: 'wait', until: null }
const remove = (why: string): Step => ({ do: 'remove', why, isFailure: false })
const failed = (why: string): Step => ({ do: 'remove', why, isFailure: true })

const earlier = (one: number | null, other: number) => (one === null ? other : Math.min(one, other))

const inWords = (ms: number) => (ms >= 60_000 ? `${ms / 60_000} min` : `${ms / 1000} s`)
