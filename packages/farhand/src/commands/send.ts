import { Refusal } from '@farhand/client/requests/refusal'
import { Unconfirmed } from '@farhand/client/requests/unconfirmed'
import type { ReachedRun } from '@farhand/device/find-run/reach-run'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../context/command-context.ts'
import { converse } from '../terminal/conversation/converse.ts'
import { saidOrPiped } from '../terminal/prompts/piped-text.ts'
import { jsonRunScreen, textRunScreen } from '../terminal/run-screen/run-screen.ts'
import type { ReachFlags } from './find-run/reach-run.ts'
import { splitMessage } from './find-run/run-or-message.ts'
import { runFailed } from './run/leave-run.ts'
import { howToAnswer } from './run/run-output.ts'
import { postTo, withRun } from './with-run.ts'

export type SendFlags = ReachFlags & { steer?: unknown; follow?: unknown; key?: unknown }

/** A message sent again without its key may count twice: the hub may have stored the first one. */
function mayHaveArrived(error: unknown, { hub, at }: ReachedRun, { called }: CommandContext): unknown {
  if (!(error instanceof Unconfirmed) || error.cause instanceof Refusal) return error
  const why = (error.cause as Error).message
  return new Trouble(
    'failed',
    `No hub answers at ${hub.url}: ${why}. The message may have arrived all the same.`,
    `To send it again so that it counts once: ${called.farhand} send ${runInWords(at.run)} --key ${error.key} "..."`,
    error,
  )
}

/** `farhand send`: sends a message to the agent of a run; resolves when the log has it, or with `--follow` after its turn. */
export const sendCommand = (
  first: string | undefined,
  second: string | undefined,
  flags: SendFlags,
  context: CommandContext,
) => {
  const { named, said } = splitMessage(first, second)
  if (said === undefined)
    return withJsonErrors(flags, context, async () => {
      throw new Trouble(
        'usage',
        'What should the message be?',
        `Give it: ${context.called.farhand} send ${named ? `${named} ` : ''}"..."`,
      )
    })
  return sendTo(named, said, flags, context)
}

const sendTo = (named: string | undefined, said: string, flags: SendFlags, context: CommandContext) =>
  withRun(named, flags, context, async (reached) => {
    const text = await saidOrPiped(said, context)
    if (text === null) return
    if (text.trim() === '') throw new Trouble('usage', 'The message is empty.', 'Write something.')
    // `when` is always set: without it the message might be taken for the answer to an open question (W62).
    const params = { content: text, when: flags.steer === true ? 'steer' : 'queue' } as const
    const key = flags.key === undefined ? undefined : String(flags.key)
    const { lastEventId: messageId } = await postTo(reached, 'user_message', params, context, key).catch(
      (error: unknown) => {
        throw mayHaveArrived(error, reached, context)
      },
    )
    const { at, hub } = reached
    if (flags.json) context.out(`${JSON.stringify({ event: 'sent', run: at.run, messageId })}\n`)
    const isHosted = new KnownRuns(stateFolderPath(flags.state, context)).holder(at.run) !== null
    if (!isHosted && reached.known && reached.known.sandbox === undefined && !flags.json)
      context.note(
        `No agent is working on it now: \`${context.called.farhand} run --run ${runInWords(at.run)}\` starts its agent.\n`,
      )
    if (!flags.follow) {
      if (!flags.json) context.note(`Sent to ${runInWords(at.run)}.\n`)
      return
    }
    const hint = () => howToAnswer(at.run, context)
    const isFar = reached.known?.sandbox !== undefined
    const screen = flags.json ? jsonRunScreen(context) : textRunScreen(context, hint, isFar)
    screen.saying(text)
    const end = await converse({ hub, at, screen, messageId, lines: null, runnerEnded: null }, context)
    if (end.is === 'run-failed') throw runFailed(at.run, false, context)
    if (end.is === 'turn-over' && !['end_turn', 'cancelled'].includes(end.stopReason))
      throw new Trouble(
        'failed',
        end.why ?? `The turn ended: ${end.stopReason}.`,
        `The run is ${runInWords(at.run)}.`,
      )
  })
