import { setTimeout as pause } from 'node:timers/promises'
import { decideHandoff, type Step } from '@farhand/device/handoff/decide-handoff'
import { type HandoffRun, type RunState, readRunState } from '@farhand/device/handoff/handoff-run'
import { hasTimedOut, stepTimeoutsMs, type Waiting, waitingAfter } from '@farhand/device/handoff/step-timeout'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { CommandContext } from '../context/command-context.ts'
import type { HandoffReporter } from './handoff-reporter.ts'
import { isConflict, moveHere, startHere, waitUntilWorking } from './move-here.ts'
import { followToCloud, moveToCloud } from './move-to-cloud.ts'
import { rest, type SettleFlags, settle } from './settle-run.ts'

/** More tries than messages that could plausibly come in between. */
const mostTries = 200
const lookMs = 30
const hostEndsMs = 3_000

/**
 * Does one step after the other, each decided from the run's current state, until the run has moved. If a runner does
 * not answer in time, it gives up and the run stays where it was.
 */
export async function handOver(
  to: 'here' | 'cloud',
  handoff: HandoffRun,
  flags: SettleFlags,
  reporter: HandoffReporter,
  context: CommandContext,
  mostMs = stepTimeoutsMs,
): Promise<void> {
  let waiting: Waiting | null = null
  // A long turn is looked at repeatedly; the user is asked only once.
  let said = flags
  const answered = (how: 'wait' | 'cancel' | null) => {
    said = how === null ? flags : { ...said, [how]: true }
  }
  for (let tries = 0; tries < mostTries; ) {
    const seen = await readRunState(handoff, context.stop)
    const step = decideHandoff(to, seen.standing)
    if (step.do === 'nothing') return
    waiting = waitingAfter(waiting, step.do, seen, performance.now())
    if (hasTimedOut(waiting, performance.now(), mostMs)) throw unanswered(handoff, seen, context)
    // Waiting for the end of a turn has no limit.
    if (step.do !== 'settle' && step.do !== 'rest') tries += 1
    const now = { to, handoff, seen, flags: said, answered, reporter }
    const isOver = await doStep(step, now, context).catch((error: unknown) => {
      if (isConflict(error)) return false
      throw error
    })
    if (isOver) return
  }
  throw new Trouble(
    'failed',
    `${runInWords(handoff.at.run)} is too busy: new messages keep arriving.`,
    'Nothing was changed; try again later.',
  )
}

type Circumstances = {
  to: 'here' | 'cloud'
  handoff: HandoffRun
  seen: RunState
  flags: SettleFlags
  answered: (how: 'wait' | 'cancel' | null) => void
  reporter: HandoffReporter
}

/** Does one step; true if it was the last. */
async function doStep(
  step: Exclude<Step, { do: 'nothing' }>,
  { to, handoff, seen, flags, answered, reporter }: Circumstances,
  context: CommandContext,
): Promise<boolean> {
  switch (step.do) {
    case 'refuse':
      throw refused(step.why, handoff, context)
    case 'settle':
      answered(await settle(handoff, seen, step.asks, flags, reporter, context))
      return false
    case 'rest':
      await rest(handoff, seen, reporter, context)
      return false
    case 'take':
      if (!(await hostEnds(handoff, context))) return false
      await (to === 'here' ? moveHere : moveToCloud)(handoff, seen, reporter, context)
      return to === 'cloud'
    case 'go-on':
      // A handoff that was killed right after the move has not recorded it: then the run came from here.
      if (to === 'cloud') await followToCloud(handoff, isOfHere(handoff), reporter, context)
      else {
        reporter.step('begin', 'Its runner is started here.')
        const trouble = await waitUntilWorking(startHere(handoff, context), handoff, seen.generation, context)
        if (trouble) throw trouble
      }
      return true
  }
}

const isOfHere = ({ known }: HandoffRun) => known !== null && known.sandbox === undefined

/**
 * Waits briefly for a local runner to end: one that rests ends by itself. One that an earlier handoff started may be
 * waiting for its hub, and begin to work before it ends.
 */
async function hostEnds({ runs, at }: HandoffRun, { stop }: CommandContext): Promise<boolean> {
  for (const since = performance.now(); performance.now() - since < hostEndsMs; await pause(lookMs)) {
    stop.throwIfAborted()
    if (runs.holder(at.run) === null) return true
  }
  return false
}

function refused(why: 'closed' | 'other-device', { at }: HandoffRun, { called }: CommandContext): Trouble {
  if (why === 'closed')
    return new Trouble(
      'runClosed',
      `${runInWords(at.run)} is closed.`,
      `Say something to open it again: ${called.farhand} run --run ${runInWords(at.run)} "..."`,
    )
  return new Trouble(
    'alreadyRunning',
    `${runInWords(at.run)} works on another machine.`,
    `Hand it over from there: ${called.farhand} handoff ${runInWords(at.run)} --to cloud`,
  )
}

function unanswered({ at, runs }: HandoffRun, { standing }: RunState, { called }: CommandContext): Trouble {
  const run = runInWords(at.run)
  const pid = standing.isOnDevice ? runs.holder(at.run) : null
  if (pid === null)
    return new Trouble(
      'failed',
      `The runner of ${run} does not answer.`,
      `It works where it did. \`${called.farhand} status ${run}\` says how it is; try again when it answers.`,
    )
  return new Trouble(
    'failed',
    `The runner of ${run} here, process ${pid}, does not answer.`,
    `It works here, as before. If that process is only stopped, \`kill -CONT ${pid}\` has it go on. ` +
      `\`kill -9 ${pid}\` ends it; then this command goes on without it.`,
  )
}
