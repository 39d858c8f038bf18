import process from 'node:process'
import { follow } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import { closeRun } from '@farhand/client/resources/resources'
import { sleep } from '@farhand/kit/sleep'
import { event, eventName } from '@farhand/protocol/events/event-names'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { CommandContext } from '../../context/command-context.ts'
import type { ConverseEnd } from '../../conversation/converse.ts'
import { patienceMs } from '../../errors/hub-trouble.ts'
import { Trouble } from '../../errors/trouble.ts'
import type { LocalRuns } from '../../local-runs/local-runs.ts'
import type { StartedRunner } from '../../local-runs/start-runner.ts'
import { runInWords } from '../../printing/run-in-words.ts'

type Place = { hub: Hub; at: RunAddress }

/** How long a runner here, or what brings the last files of a sandbox, is waited for. */
const endMs = { here: 10_000, far: 60_000 }

/** How long a sandbox is waited for, which may have to be made, be set up, or wait for room. */
const sandboxMs = 5_000
const lookMs = 25

/**
 * Begins and does not watch: resolves when the message has been taken on, so that it is known to work, or when that
 * takes a sandbox too long. `standing` says who answers what the agent asks from then on.
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
    ? `It is not at work yet: \`${context.called.farhand} status ${runInWords(at.run)}\` says how it stands.`
    : 'It works on.'
  context.note(`${how} ${standing} ${howToGoOn(at.run, context)}\n`)
}

/** What can be done about a run that goes on. */
export const howToGoOn = (run: string, { called }: CommandContext) =>
  `\`${called.farhand} attach ${runInWords(run)}\` comes back to it, \`${called.farhand} close ${runInWords(run)}\` ends it.`

/** The run was for this one message: nothing of it goes on when this ends. */
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
  // What works beside us does not keep our process alive; this does.
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise((resolve) => {
    timer = setTimeout(resolve, isFar ? endMs.far : endMs.here)
  })
  await Promise.race([beside.ended, enough])
  clearTimeout(timer)
}

/** A runner here that the system has stopped can neither save anything nor end: whoever closes its run wants both. */
export function wakeHost(
  runs: Pick<LocalRuns, 'holder'>,
  { run }: Pick<RunAddress, 'run'>,
  { platform }: CommandContext,
) {
  const pid = runs.holder(run)
  if (pid === null || platform === 'win32') return
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // It has ended since.
  }
}

/**
 * The run is closed: resolves when the process that hosted its agent here is gone, so that its folder is free, or when
 * that takes too long, or somebody does not want to wait for it.
 */
export async function untilHostEnds(
  runs: Pick<LocalRuns, 'holder'>,
  { run }: Pick<RunAddress, 'run'>,
  stop: AbortSignal,
): Promise<void> {
  const enough = performance.now() + endMs.here
  while (runs.holder(run) !== null && performance.now() < enough && !stop.aborted) await sleep(lookMs)
}

/** That the hub has given up, for now, on finding a place for the run to work in. */
export const runFailed = (run: string, isOver: boolean, { called }: CommandContext, reason?: unknown) =>
  new Trouble(
    'failed',
    `${runInWords(run)} has failed${isOver ? ' and is closed' : ''}; what it was told is kept.${reason ? ` ${reason}` : ''}`,
    `To try once more, say something: ${called.farhand} run --run ${runInWords(run)} "..."`,
  )
