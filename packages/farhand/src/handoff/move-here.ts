import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '@farhand/client/requests/refusal'
import { moveRun } from '@farhand/client/resources/resources'
import { forgetIfNeverLinked, hadRunFiles, syncFolderOnce } from '@farhand/device/handoff/folder-link'
import { type HandoffRun, type RunState, readRunState } from '@farhand/device/handoff/handoff-run'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { CommandContext } from '../context/command-context.ts'
import { withRun } from '../finish/with-run.ts'
import { type StartedRunner, startRunner } from '../local-runs/start-runner.ts'
import { type HandoffReporter, reportMemory } from './handoff-reporter.ts'
import { startFolderLink } from './start-folder-link.ts'

const lookMs = 50

/**
 * Moves a resting run to this machine: first its files, then its runner, which moves the run itself in one step at the
 * hub. Until that step the run is where it was, and a message wakes it there. If the runner dies before it works, the
 * run goes back.
 */
export async function moveHere(
  handoff: HandoffRun,
  { generation }: RunState,
  reporter: HandoffReporter,
  context: CommandContext,
): Promise<void> {
  const { at, workspace, kind } = handoff
  reporter.step('files', `Its files are synced to ${workspace}; your changes there are kept.`)
  try {
    await syncFolderOnce(handoff, { self: context.self, env: context.env, stop: context.stop })
    reporter.step('begin', 'Its runner is started here.')
    const trouble = await waitUntilWorking(
      startHere(handoff, context, generation),
      handoff,
      generation,
      context,
    )
    if (!trouble) {
      await fetchCommits(handoff, reporter, context)
      reportMemory('here', handoff, reporter)
      return
    }
    const seen = await readRunState(handoff, context.stop)
    // A message woke the run meanwhile, or its sandbox was just starting: decide again.
    if (!seen.standing.isOnDevice && (seen.generation > generation || seen.standing.isHeard)) return
    if (seen.standing.isOnDevice && seen.generation > generation) {
      reporter.step('back', `That did not work: ${runInWords(at.run)} goes back to where it was.`)
      const back = { sandbox: kind, after: seen.generation }
      await moveRun(handoff.hub, at, back, { patienceMs })
      handoff.runs.save(sandboxRecord(handoff))
    }
    throw trouble
  } catch (error) {
    const seen = await readRunState(handoff, AbortSignal.timeout(patienceMs)).catch(() => null)
    forgetIfNeverLinked(handoff)
    if (seen && !seen.standing.isOnDevice && hadRunFiles(handoff))
      await startFolderLink(handoff, context).inStep.catch(() => {})
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
export function startHere(handoff: HandoffRun, context: CommandContext, after?: number): StartedRunner {
  const { sandbox: _, ...known } = sandboxRecord(handoff)
  const { runs, state } = handoff
  return startRunner(known, { runs, stateFolderPath: state.root }, context, after)
}

/** Resolves to null when the runner is connected, or to the reason why it ended before. */
export async function waitUntilWorking(
  runner: StartedRunner,
  handoff: HandoffRun,
  after: number,
  context: CommandContext,
): Promise<Trouble | null> {
  let trouble: Trouble | null = null
  let isOver = false
  void runner.ended.then((why) => {
    trouble = why
    isOver = true
  })
  for (;;) {
    context.stop.throwIfAborted()
    const { standing, generation } = await readRunState(handoff, context.stop)
    if (standing.isOnDevice && standing.isHeard && generation > after) return null
    if (isOver) return trouble
    await pause(lookMs)
  }
}

/** Whether the hub refused because a message or another runner was quicker: decide again. */
export const isConflict = (error: unknown) =>
  error instanceof Refusal && (error.code === 'run.taken' || error.code === 'run.busy')

/** Fetches the agent's commits into the repository here, under refs of the run. A failure is only a warning. */
async function fetchCommits(
  { hub, at, state }: HandoffRun,
  reporter: HandoffReporter,
  context: CommandContext,
): Promise<void> {
  try {
    const names: string[] = []
    const flags = { state: state.root, hub: hub.url, token: hub.token }
    await withRun(at.run, flags, context, async ({ taken, base, tip }) => {
      if (tip === null || tip === base) return
      names.push(...taken.refs.map(({ ref }) => ref.replace(/^refs\//, '')))
    })
    const branches = names.filter((name) => !/\/(base|checkpoint|pushed)$/.test(name))
    if (branches.length === 0) return
    const take = `\`${context.called.farhand} commits ${runInWords(at.run)}\` says how to have it on a branch of yours`
    reporter.commits(branches, `What it has committed there is ${branches.join(', ')} here; ${take}.`)
  } catch (error) {
    context.stop.throwIfAborted()
    // A folder without a repository cannot take commits.
    if (error instanceof Trouble && error.exit === 'usage') return
    reporter.warn(`What it has committed stays at the hub for now: ${(error as Error).message}`)
  }
}
