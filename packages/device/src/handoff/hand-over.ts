import { setTimeout as pause } from 'node:timers/promises'
import { sleep } from '@farhand/kit/sleep'
import { decideHandoff, type Step } from './decide-handoff.ts'
import type { HandoffEnd, HandoffParts } from './handoff-parts.ts'
import { type HandoffRun, type RunState, readRunState } from './handoff-run.ts'
import { isConflict, moveHere, startHere, waitUntilWorking } from './move-here.ts'
import { followToCloud, moveToCloud } from './move-to-cloud.ts'
import { restRun } from './rest-run.ts'
import { hasTimedOut, stepTimeoutsMs, type Waiting, waitingAfter } from './step-timeout.ts'

/** More tries than messages that could plausibly come in between. */
const mostTries = 200
const lookMs = 30
const hostEndsMs = 3_000
/** Asking again at once would only fill the log while a command still runs. */
const askAgainMs = 1_000

/**
 * Does one step after the other, each decided from the run's current state, until the run has moved. If a runner does
 * not answer in time, it gives up and the run stays where it was.
 */
export async function handOverRun(
  to: 'here' | 'cloud',
  handoff: HandoffRun,
  parts: HandoffParts,
  mostMs = stepTimeoutsMs,
): Promise<HandoffEnd> {
  let waiting: Waiting | null = null
  for (let tries = 0; tries < mostTries; ) {
    const seen = await readRunState(handoff, parts.stop)
    const step = decideHandoff(to, seen.standing)
    if (step.do === 'nothing') return { is: 'moved' }
    waiting = waitingAfter(waiting, step.do, seen, performance.now())
    if (hasTimedOut(waiting, performance.now(), mostMs)) {
      const pid = seen.standing.isOnDevice ? handoff.runs.holder(handoff.at.run) : null
      return { is: 'unanswered', pid }
    }
    // Waiting for the end of a turn has no limit.
    if (step.do !== 'settle' && step.do !== 'rest') tries += 1
    const end = await doStep(step, { to, handoff, seen }, parts).catch((error: unknown) => {
      if (isConflict(error)) return null
      throw error
    })
    if (end) return end
  }
  return { is: 'too-busy' }
}

type Now = { to: 'here' | 'cloud'; handoff: HandoffRun; seen: RunState }

/** Does one step; null if it was not the last. */
async function doStep(
  step: Exclude<Step, { do: 'nothing' }>,
  { to, handoff, seen }: Now,
  parts: HandoffParts,
): Promise<HandoffEnd | null> {
  switch (step.do) {
    case 'refuse':
      return { is: 'refused', why: step.why }
    case 'settle':
      await parts.settle(seen, step.asks)
      return null
    case 'rest':
      await rest(handoff, seen, parts)
      return null
    case 'take':
      if (!(await hostEnds(handoff, parts.stop))) return null
      if (to === 'cloud') return await moveToCloud(handoff, seen, parts)
      await moveHere(handoff, seen, parts)
      return null
    case 'go-on': {
      // A handoff that was killed right after the move has not recorded it: then the run came from here.
      if (to === 'cloud') return await followToCloud(handoff, isOfHere(handoff), parts)
      parts.listener.step({ is: 'begin' })
      const runner = startHere(handoff, parts)
      const trouble = await waitUntilWorking(runner, handoff, seen.generation, parts.stop)
      if (trouble) throw trouble
      return { is: 'moved' }
    }
  }
}

const isOfHere = ({ known }: HandoffRun) => known !== null && known.sandbox === undefined

async function rest(handoff: HandoffRun, seen: RunState, { stop, listener }: HandoffParts): Promise<void> {
  if (seen.standing.rests === false) {
    listener.step({ is: 'busy' })
    await sleep(askAgainMs, { signal: stop })
  } else listener.step({ is: 'rest', to: seen.standing.isOnDevice ? 'cloud' : 'here' })
  await restRun(handoff, seen.now.lastEventId, stop)
}

/**
 * Waits briefly for a local runner to end: one that rests ends by itself. One that an earlier handoff started may be
 * waiting for its hub, and begin to work before it ends.
 */
async function hostEnds({ runs, at }: HandoffRun, stop: AbortSignal): Promise<boolean> {
  for (const since = performance.now(); performance.now() - since < hostEndsMs; await pause(lookMs)) {
    stop.throwIfAborted()
    if (runs.holder(at.run) === null) return true
  }
  return false
}
