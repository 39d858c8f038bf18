import { setTimeout as pause } from 'node:timers/promises'
import { moveRun } from '@farhand/client/resources/resources'
import { folderHolder } from '../linked-folders/lock-folder.ts'
import { patienceMs } from '../requests/patience-ms.ts'
import { whyFailed } from '../requests/why-failed.ts'
import { linkWords, releaseFolder } from './folder-link.ts'
import type { HandoffEnd, HandoffParts } from './handoff-parts.ts'
import { type HandoffRun, type RunState, readRunState } from './handoff-run.ts'
import { sandboxRecord, startHere, waitUntilWorking } from './move-here.ts'
import { sendRepository } from './send-repository.ts'

type End = Extract<HandoffEnd, { is: 'moved' | 'no-sandbox' }>

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
  parts: HandoffParts,
): Promise<End> {
  const { hub, at, kind, workspace } = handoff
  const { stop, listener, env } = parts
  const isOfHere = workspace !== ''
  try {
    if (isOfHere) {
      listener.step({ is: 'repository' })
      await sendRepository(handoff, {
        env,
        stop,
        onWarning: (says) => listener.warn({ is: 'repository', says }),
      })
    }
    await bringAlong(run, parts)
    await moveRun(hub, at, { sandbox: kind, after: generation }, { signal: stop, patienceMs })
  } catch (error) {
    // The run is still here, and nothing else would start its runner again.
    const seen = await readRunState(handoff, AbortSignal.timeout(patienceMs)).catch(() => null)
    if (isOfHere && seen?.standing.isOnDevice && !seen.standing.isHostedHere) startHere(handoff, parts)
    throw error
  }
  return await followToCloud(handoff, isOfHere, parts)
}

/** Sends what the user brings to sandboxes (W45). A failure does not stop the handoff. */
async function bringAlong(run: RunState['run'], { stop, listener, sendSetup }: HandoffParts): Promise<void> {
  try {
    await sendSetup(run)
  } catch (error) {
    stop.throwIfAborted()
    listener.warn({ is: 'setup-not-sent', why: (error as Error).message })
  }
}

/**
 * After the move: links the folder in the background and waits for the sandbox. Without a sandbox, a run that was here
 * comes back; one that was not must not start to work on this machine unasked.
 */
export async function followToCloud(
  handoff: HandoffRun,
  isOfHere: boolean,
  parts: HandoffParts,
): Promise<End> {
  const { at, workspace, runs, state } = handoff
  const { stop, listener } = parts
  if (workspace !== '') runs.save(sandboxRecord(handoff))
  if (workspace !== '' && folderHolder(state, workspace) === null) {
    listener.step({ is: 'link' })
    await parts
      .startLink(linkWords(handoff))
      .inStep.catch((why: unknown) => listener.warn({ is: 'not-linked', why: (why as Error).message }))
  }
  listener.step({ is: 'sandbox' })
  if (await hasSandbox(handoff, parts)) {
    if (isOfHere && !handoff.isOurs) listener.step({ is: 'memory', to: 'cloud' })
    return { is: 'moved' }
  }
  const why = (await whyFailed(handoff, stop)) ?? null
  if (!isOfHere) return { is: 'no-sandbox', why, isBack: false, trouble: null }
  listener.step({ is: 'back', to: 'here' })
  const { generation } = await readRunState(handoff, stop)
  await moveRun(handoff.hub, at, { sandbox: 'none', after: generation }, { patienceMs })
  await releaseFolder(handoff)
  const trouble = await waitUntilWorking(startHere(handoff, parts), handoff, generation, stop)
  const { sandbox: _, ...known } = sandboxRecord(handoff)
  runs.save(known)
  return { is: 'no-sandbox', why, isBack: true, trouble }
}

/** True once the run has a sandbox, sleeps, or is queued for long; false if the sandbox failed. */
async function hasSandbox(handoff: HandoffRun, { stop, listener }: HandoffParts): Promise<boolean> {
  let since: number | null = null
  for (;;) {
    stop.throwIfAborted()
    const { standing } = await readRunState(handoff, stop)
    if (standing.status === 'failed') return false
    if (['asleep', 'paused', 'closed'].includes(standing.status)) return true
    if (standing.status === 'active' && standing.isHeard) return true
    since = standing.status === 'queued' ? (since ?? performance.now()) : null
    if (since !== null && performance.now() - since > queuedMs) {
      listener.warn({ is: 'no-capacity' })
      return true
    }
    await pause(lookMs)
  }
}
