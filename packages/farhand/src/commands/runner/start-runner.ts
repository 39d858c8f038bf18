import { type RunnerEnd, startRunnerProcess } from '@farhand/device/hosting/runner-process'
import type { KnownRun, KnownRuns } from '@farhand/device/known-runs/known-runs'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { exitCodes } from '../../command-line/errors/exit-codes.ts'
import type { ProcessContext } from '../../context/command-context.ts'

export type StartedRunner = {
  pid: number | undefined
  /** Resolves to null when the runner ends normally, else to the Trouble that ended it. */
  ended: Promise<Trouble | null>
}

/** Starts a runner as `startRunnerProcess` does, and says to the user how it ended. */
export function startRunner(
  known: KnownRun,
  where: { runs: KnownRuns; stateFolderPath: string },
  { self, env, called }: ProcessContext,
  after?: number,
): StartedRunner {
  const { pid, log, ended } = startRunnerProcess(known, { ...where, self, env, after })
  const next = `\`${called.farhand} run --run ${runInWords(known.at.run)}\` goes on with the run. ${log} holds its output.`
  const trouble = (end: RunnerEnd) => {
    const how = endInWords(end)
    return how === null ? null : new Trouble('failed', how, next)
  }
  return { pid, ended: ended.then(trouble) }
}

function endInWords(end: RunnerEnd): string | null {
  switch (end.is) {
    case 'not-started':
      return `The runner could not be started: ${end.error.message}`
    case 'killed':
      return `The runner was killed (${end.signal}).`
    case 'ended':
      // Another process has started a runner first, which takes this message.
      if (end.code === 0 || end.code === exitCodes.alreadyRunning.code) return null
      return `The runner has ended: ${end.said || `with exit code ${end.code}`}`
  }
}
