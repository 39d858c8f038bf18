import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '@farhand/client/requests/refusal'
import { moveRun } from '@farhand/client/resources/resources'
import { patienceMs } from '../requests/patience-ms.ts'
import { Trouble } from '../trouble/trouble.ts'
import { forgetIfNeverLinked, hadRunFiles, linkWords, syncFolderOnce } from './folder-link.ts'
import type { HandoffParts } from './handoff-parts.ts'
import { type HandoffRun, type RunState, readRunState } from './handoff-run.ts'

type Runner = ReturnType<HandoffParts['startRunner']>

const lookMs = 50

/**
 * Moves a resting run to this machine: first its files, then its runner, which moves the run itself in one step at the
 * hub. Until that step the run is where it was, and a message wakes it there. If the runner dies before it works, the
 * run goes back.
 */
export async function moveHere(
  handoff: HandoffRun,
  { generation }: RunState,
  parts: HandoffParts,
): Promise<void> {
  const { stop, listener } = parts
  listener.step({ is: 'files' })
  try {
    await syncFolderOnce(handoff, parts)
    listener.step({ is: 'begin' })
    const trouble = await waitUntilWorking(startHere(handoff, parts, generation), handoff, generation, stop)
    if (!trouble) {
      await fetchCommits(parts)
      if (!handoff.isOurs) listener.step({ is: 'memory', to: 'here' })
      return
    }
    const seen = await readRunState(handoff, stop)
    // A message woke the run meanwhile, or its sandbox was just starting: decide again.
    if (!seen.standing.isOnDevice && (seen.generation > generation || seen.standing.isHeard)) return
    if (seen.standing.isOnDevice && seen.generation > generation) {
      listener.step({ is: 'back', to: 'cloud' })
      const back = { sandbox: handoff.kind, after: seen.generation }
      await moveRun(handoff.hub, handoff.at, back, { patienceMs })
      handoff.runs.save(sandboxRecord(handoff))
    }
    throw trouble
  } catch (error) {
    const seen = await readRunState(handoff, AbortSignal.timeout(patienceMs)).catch(() => null)
    forgetIfNeverLinked(handoff)
    if (seen && !seen.standing.isOnDevice && hadRunFiles(handoff))
      await parts.startLink(linkWords(handoff)).inStep.catch(() => {})
    throw error
  }
}

/** The local record of a run that works in a sandbox. */
export const sandboxRecord = ({ hub, at, agent, workspace, kind }: HandoffRun) => ({
  url: hub.url,
  token: hub.token,
  at,
  agent,
  workspace,
  sandbox: kind,
})

/** Starts the runner here; `after` is the generation that it takes the run over from. */
export function startHere(
  handoff: HandoffRun,
  { startRunner }: Pick<HandoffParts, 'startRunner'>,
  after?: number,
): Runner {
  const { sandbox: _, ...known } = sandboxRecord(handoff)
  return startRunner(known, after)
}

/** Resolves to null when the runner is connected, or to the reason why it ended before. */
export async function waitUntilWorking(
  runner: Runner,
  handoff: HandoffRun,
  after: number,
  stop: AbortSignal,
): Promise<Trouble | null> {
  let trouble: Trouble | null = null
  let isOver = false
  void runner.ended.then((why) => {
    trouble = why
    isOver = true
  })
  for (;;) {
    stop.throwIfAborted()
    const { standing, generation } = await readRunState(handoff, stop)
    if (standing.isOnDevice && standing.isHeard && generation > after) return null
    if (isOver) return trouble
    await pause(lookMs)
  }
}

/** Whether the hub refused because a message or another runner was quicker: decide again. */
export const isConflict = (error: unknown) =>
  error instanceof Refusal && (error.code === 'run.taken' || error.code === 'run.busy')

/** Fetches the agent's commits into the repository here, under refs of the run. A failure is only a warning. */
async function fetchCommits({ stop, listener, fetchCommits: fetch }: HandoffParts): Promise<void> {
  try {
    const branches = await fetch()
    if (branches.length > 0) listener.commits(branches)
  } catch (error) {
    stop.throwIfAborted()
    // A folder without a repository cannot take commits.
    if (error instanceof Trouble && error.exit === 'usage') return
    listener.warn({ is: 'commits-wait', why: (error as Error).message })
  }
}
