import { follow } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import { Refusal } from '@farhand/client/requests/refusal'
import { askRest } from '@farhand/client/resources/resources'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { sleep } from '@farhand/kit/sleep'
import { event, eventsNamed, isEvent } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { CommandContext } from '../context/command-context.ts'
import type { HandoffReporter } from './handoff-reporter.ts'
import type { HandoffRun, RunState } from './handoff-run.ts'
import { restInWords } from './memory-in-words.ts'

export type SettleFlags = { wait?: unknown; cancel?: unknown; json?: unknown }

/** Events after which the next step may be another one. */
const isChange = eventsNamed(
  'turn_complete',
  'question_closed',
  'agent_question',
  'rest_answer',
  'session_start',
  'moved',
  'status',
  'session_close',
)

/**
 * Waits for the end of the current turn, or cancels it if the user wants that. Resolves when the turn may be over, to
 * what the user wants for this turn; null if another turn may be under way by then.
 */
export async function settle(
  handoff: HandoffRun,
  { now }: RunState,
  asks: boolean,
  flags: SettleFlags,
  reporter: HandoffReporter,
  context: CommandContext,
): Promise<'wait' | 'cancel' | null> {
  const { hub, at } = handoff
  const how = flags.cancel
    ? 'cancel'
    : flags.wait || !context.ask || flags.json
      ? 'wait'
      : await asked(context)
  if (how === 'cancel') {
    reporter.step('cancel', 'The current turn is cancelled.')
    await post(hub, at, event('cancel', {}), { signal: context.stop, patienceMs })
  } else if (asks) {
    const answer = `\`${context.called.farhand} answer ${runInWords(at.run)}\``
    reporter.step(
      'answer',
      `Its agent asks something and waits for an answer: ${answer} answers, --cancel does not wait.`,
    )
  } else reporter.step('wait', 'Waiting for the end of the current turn; --cancel cancels it instead.')
  const changed = await untilChange(handoff, now.lastEventId, context.stop)
  return how === 'cancel' && changed !== null && isEvent(changed, 'turn_complete') ? null : how
}

async function asked({ ask, stop }: CommandContext): Promise<'wait' | 'cancel'> {
  const answer = await ask!(
    'A turn is under way. Wait for its end (w), cancel it (c), or do nothing (q)? ',
    stop,
  )
  const said = answer.trim().toLowerCase()
  if (said === 'c' || said === 'cancel') return 'cancel'
  if (said === 'w' || said === 'wait') return 'wait'
  throw new Trouble(
    'failed',
    'Nothing was changed.',
    'Run the command again any time; --wait and --cancel answer this question.',
  )
}

/** Asks the runner to rest: it saves its last checkpoint and its agent's memory. Resolves when it may rest. */
export async function rest(
  handoff: HandoffRun,
  seen: RunState,
  reporter: HandoffReporter,
  { stop }: CommandContext,
): Promise<void> {
  const { hub, at } = handoff
  if (seen.standing.rests === false) {
    reporter.step('busy', 'Its runner is still busy, for example with a command. It is asked again.')
    await sleep(askAgainMs, { signal: stop })
  } else
    reporter.step(
      'rest',
      restInWords({ to: seen.standing.isOnDevice ? 'cloud' : 'here', isOurs: handoff.isOurs }),
    )
  try {
    const { isAsked } = await askRest(hub, at, { signal: stop, patienceMs })
    if (!isAsked) return
  } catch (error) {
    // A message has just arrived: the runner works on that first.
    if (!(error instanceof Refusal && error.code === 'run.busy')) throw error
  }
  await untilChange(handoff, seen.now.lastEventId, stop)
}

/** Limited, because no event tells that a runner has died. */
const lookAgainMs = 5_000
/** Asking again at once would only fill the log while a command still runs. */
const askAgainMs = 1_000

/** The next event that may change the decision; null if there is none for a while. */
async function untilChange(
  { hub, at }: HandoffRun,
  after: number,
  signal: AbortSignal,
): Promise<Notification | null> {
  const enough = AbortSignal.timeout(lookAgainMs)
  try {
    const events = follow(hub, at, { after, signal: AbortSignal.any([signal, enough]) })
    for await (const { notification } of events) if (isChange(notification)) return notification
  } catch (error) {
    signal.throwIfAborted()
    if (!enough.aborted) throw error
  }
  return null
}
