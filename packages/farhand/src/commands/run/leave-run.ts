import { follow } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { closeRun } from '@farhand/client/resources/resources'
import { runnerEndMs } from '@farhand/device/hosting/until-host-ends'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { within } from '@farhand/kit/within'
import { event, eventName } from '@farhand/protocol/events/event-names'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { CommandContext } from '../../context/command-context.ts'
import type { ConverseEnd } from '../../terminal/conversation/converse.ts'
import type { StartedRunner } from '../runner/start-runner.ts'

type Place = { hub: Hub; at: RunAddress }

/** How long a local runner, or the last files of a sandbox, are waited for. */
const endMs = { here: runnerEndMs, far: 60_000 }

/** How long a sandbox is waited for, which may have to be made, set up, or queued. */
const sandboxMs = 5_000

/**
 * Leaves a run that goes on: resolves when the agent has acknowledged the message, which proves that it works, or when a
 * sandbox takes too long. `standing` tells how the agent's questions are answered from then on.
 */
export async function detach(
  { hub, at }: Place,
  messageId: number | null,
  { runner, isFar, standing }: { runner: StartedRunner | null; isFar: boolean; standing: string },
  flags: { json?: unknown },
  context: CommandContext,
): Promise<void> {
  const enough = new AbortController()
  const tooLong = isFar ? AbortSignal.timeout(sandboxMs) : enough.signal
  const signal = AbortSignal.any([enough.signal, tooLong, context.stop])
  const taken = async () => {
    if (messageId === null || (!runner && !isFar)) return null
    for await (const { notification } of follow(hub, at, { after: messageId, signal })) {
      const { method, params = {} } = notification
      const name = eventName(method)
      if (name === 'ack' && params.id === messageId) break
      if (name === 'status' && params.status === 'failed')
        return runFailed(at.run, false, context, params.reason)
    }
    return null
  }
  let isLate = false
  try {
    const taking = taken()
    const trouble = (await Promise.race([taking, ...(runner ? [runner.ended] : [])])) ?? (await taking)
    if (trouble) throw trouble
  } catch (error) {
    isLate = isFar && tooLong.aborted && !context.stop.aborted && !(error instanceof Trouble)
    if (!isLate) throw error
  } finally {
    enough.abort()
  }
  if (flags.json) return
  context.out(`${at.run}\n`)
  const how = isLate
    ? `The agent has not begun yet: \`${context.called.farhand} status ${runInWords(at.run)}\` shows its state.`
    : 'The agent goes on.'
  context.note(`${how} ${standing} ${howToGoOn(at.run, context)}\n`)
}

/** The commands for a run that goes on. */
export const howToGoOn = (run: string, { called }: CommandContext) =>
  `\`${called.farhand} attach ${runInWords(run)}\` comes back to it, \`${called.farhand} close ${runInWords(run)}\` ends it.`

/** The command that opens a closed run again. */
export const reopening = (run: string, { called }: CommandContext) =>
  `Send a message to open it again: ${called.farhand} attach ${runInWords(run)} "..."`

/** Closes a run that was for one message, and waits for its runner or link to end. */
export async function endRun(
  { hub, at }: Place,
  end: ConverseEnd,
  beside: Pick<StartedRunner, 'ended'> | null,
  isFar: boolean,
): Promise<void> {
  const options = { patienceMs }
  if (end.is === 'stopped') await post(hub, at, event('cancel', {}), options)
  await closeRun(hub, at, options)
  if (!beside) return
  // A detached child does not keep this process alive; the timer does.
  await within(isFar ? endMs.far : endMs.here, beside.ended)
}

/** Trouble: the hub could not start a sandbox for the run. */
export const runFailed = (run: string, isOver: boolean, { called }: CommandContext, reason?: unknown) =>
  new Trouble(
    'failed',
    `${runInWords(run)} has failed${isOver ? ' and is closed' : ''}; its messages are kept.${reason ? ` ${reason}` : ''}`,
    `To try again, send a message: ${called.farhand} run --run ${runInWords(run)} "..."`,
  )
