import { post } from '@farhand/client/post/post'
import type { HandoffRun, RunState } from '@farhand/device/handoff/handoff-run'
import { untilChange } from '@farhand/device/handoff/rest-run'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { event, isEvent } from '@farhand/protocol/events/event-names'
import type { CommandContext } from '../../context/command-context.ts'
import type { HandoffReporter } from './handoff-reporter.ts'

export type SettleFlags = { wait?: unknown; cancel?: unknown; json?: unknown }

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
