import { setTimeout as pause } from 'node:timers/promises'
import { moveRun } from '@farhand/client/resources/resources'
import { releaseFolder } from '@farhand/device/handoff/folder-link'
import { type HandoffRun, type RunState, readRunState } from '@farhand/device/handoff/handoff-run'
import { sendRepository } from '@farhand/device/handoff/send-repository'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { whyFailed } from '../commands/run/sandbox-in-words.ts'
import type { CommandContext } from '../context/command-context.ts'
import { type HandoffReporter, reportMemory } from './handoff-reporter.ts'
import { sandboxRecord, startHere, waitUntilWorking } from './move-here.ts'
import { startFolderLink } from './start-folder-link.ts'

const lookMs = 100
/** How long the command waits with a run that is queued for a sandbox. */
const queuedMs = 10_000

/**
 * Moves a resting run from here to a sandbox: sends its repository, then moves the run in one step at the hub. Until
 * that step it works here. If it gets no sandbox it comes back.
 */
export async function moveToCloud(
  handoff: HandoffRun,
  { generation, run }: RunState,
  reporter: HandoffReporter,
  context: CommandContext,
): Promise<void> {
  const { hub, at, kind, workspace } = handoff
  const isOfHere = workspace !== ''
  try {
    if (isOfHere) {
      reporter.step('repository', 'Its repository is sent to the hub.')
      await sendRepository(handoff, {
        env: context.env,
        stop: context.stop,
        onWarning: reporter.warn,
      })
    }
    await bringAlong(handoff, run, reporter, context)
    await moveRun(hub, at, { sandbox: kind, after: generation }, { signal: context.stop, patienceMs })
  } catch (error) {
    // The run is still here, and nothing else would start its runner again.
    const seen = await readRunState(handoff, AbortSignal.timeout(patienceMs)).catch(() => null)
    if (isOfHere && seen?.standing.isOnDevice && !seen.standing.isHostedHere) startHere(handoff, context)
    throw error
  }
  await followToCloud(handoff, isOfHere, reporter, context)
}

/** Sends what the user brings to sandboxes (W45). A failure does not stop the handoff. */
async function bringAlong(
  { hub, at, agent, state }: HandoffRun,
  { terms }: RunState['run'],
  reporter: HandoffReporter,
  context: CommandContext,
): Promise<void> {
  const { bringForRun } = await import('../bring/bring-for-run.ts')
  try {
    const about = { flags: {}, stateFolderPath: state.root, hub, agent, terms: terms ?? {} }
    await (await bringForRun(about, context)).send(at)
  } catch (error) {
    context.stop.throwIfAborted()
    reporter.warn(`Your own setup is not sent: ${(error as Error).message}`)
  }
}

/**
 * After the move: links the folder in the background and waits for the sandbox. Without a sandbox, a run that was here
 * comes back; one that was not must not start to work on this machine unasked.
 */
export async function followToCloud(
  handoff: HandoffRun,
  isOfHere: boolean,
  reporter: HandoffReporter,
  context: CommandContext,
): Promise<void> {
  const { at, workspace, runs, state } = handoff
  if (workspace !== '') runs.save(sandboxRecord(handoff))
  const { folderHolder } = await import('@farhand/device/linked-folders/lock-folder')
  if (workspace !== '' && folderHolder(state, workspace) === null) {
    reporter.step('link', `${workspace} is kept in sync with it.`)
    await startFolderLink(handoff, context).inStep.catch((why: unknown) =>
      reporter.warn(`${workspace} is not kept in sync with it: ${(why as Error).message}`),
    )
  }
  reporter.step('sandbox', 'A sandbox is being created for it.')
  if (await hasSandbox(handoff, reporter, context)) {
    if (isOfHere) reportMemory('cloud', handoff, reporter)
    return
  }
  const why = (await whyFailed(handoff, context.stop)) ?? 'The hub has no sandbox for it.'
  if (!isOfHere)
    throw new Trouble(
      'failed',
      why,
      `When that is fixed, send it a message; \`${context.called.farhand} handoff ${at.run} --to here\` has it work here.`,
    )
  reporter.step('back', `That did not work: ${runInWords(at.run)} comes back here.`)
  const { generation } = await readRunState(handoff, context.stop)
  await moveRun(handoff.hub, at, { sandbox: 'none', after: generation }, { patienceMs })
  await releaseFolder(handoff)
  const trouble = await waitUntilWorking(startHere(handoff, context), handoff, generation, context)
  const { sandbox: _, ...known } = sandboxRecord(handoff)
  runs.save(known)
  const again = `It works here, as before. Try again when that is fixed.`
  throw new Trouble('failed', why, trouble ? `${trouble.message} ${trouble.nextStep}` : again)
}

/** True once the run has a sandbox, sleeps, or is queued for long; false if the sandbox failed. */
async function hasSandbox(
  handoff: HandoffRun,
  reporter: HandoffReporter,
  context: CommandContext,
): Promise<boolean> {
  let since: number | null = null
  for (;;) {
    context.stop.throwIfAborted()
    const { standing } = await readRunState(handoff, context.stop)
    if (standing.status === 'failed') return false
    if (['asleep', 'paused', 'closed'].includes(standing.status)) return true
    if (standing.status === 'active' && standing.isHeard) return true
    since = standing.status === 'queued' ? (since ?? performance.now()) : null
    if (since !== null && performance.now() - since > queuedMs) {
      reporter.warn('The hub has no capacity for its sandbox now. The run is queued and starts later.')
      return true
    }
    await pause(lookMs)
  }
}
