import { untilHostEnds } from '@farhand/device/hosting/until-host-ends'
import type { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { CommandContext } from '../../context/command-context.ts'
import type { ConverseEnd } from '../../terminal/conversation/converse.ts'
import type { StartedRunner } from '../runner/start-runner.ts'
import type { OpenedRun } from './join-run.ts'
import { endRun, howToGoOn, reopening, runFailed } from './leave-run.ts'
import type { AgentRunFlags } from './run-flags.ts'

/** After the conversation: closes a run that was for one message, tidies its worktree, and prints how it ended. */
export async function finishRun(
  { hub, at, known, link }: OpenedRun,
  end: ConverseEnd,
  { isTalk, runner }: { isTalk: boolean; runner: StartedRunner | null },
  { runs, stateFolderPath }: { runs: KnownRuns; stateFolderPath: string },
  flags: AgentRunFlags,
  context: CommandContext,
): Promise<void> {
  const isOver = flags.run === undefined && !isTalk && ['turn-over', 'stopped', 'run-failed'].includes(end.is)
  if (isOver) await endRun({ hub, at }, end, runner ?? link, known?.sandbox !== undefined)
  else if (end.is === 'closed') await untilHostEnds(runs, at, context.stop)
  if (isOver || end.is === 'closed') {
    const { tidyRun } = await import('../worktree/tidy-run.ts')
    const tidied = await tidyRun(known, stateFolderPath, context)
    if (tidied && flags.json) {
      const { folder, branch, done } = tidied
      context.out(`${JSON.stringify({ event: 'worktree', folder, branch, ...done })}\n`)
    } else if (tidied) context.note(tidied.says)
  }
  printRunEnd(end, isOver, at.run, flags, context)
}

function printRunEnd(
  end: ConverseEnd,
  isOver: boolean,
  run: string,
  flags: AgentRunFlags,
  context: CommandContext,
): void {
  if (flags.json) context.out(`${JSON.stringify({ event: 'ended', ...end, run, closed: isOver })}\n`)
  if (end.is === 'turn-over' && !['end_turn', 'cancelled'].includes(end.stopReason)) {
    // The screen has shown the reason already.
    const told = flags.json
      ? (end.why ?? `The turn ended: ${end.stopReason}.`)
      : `${runInWords(run)} ${isOver ? 'is closed' : 'stays open'}.`
    throw new Trouble('failed', told, isOver ? reopening(run, context) : howToGoOn(run, context))
  }
  if (end.is === 'run-failed') throw runFailed(run, isOver, context)
  if (flags.json) return
  if (end.is === 'closed') context.note(`${runInWords(run)} is closed.\n`)
  else if (!isOver) context.note(`${runInWords(run)} stays open. ${howToGoOn(run, context)}\n`)
}
