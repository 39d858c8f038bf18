import process from 'node:process'
import { sleep } from '@farhand/kit/sleep'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { KnownRuns } from '../known-runs/known-runs.ts'

/** How long a local runner is waited for. */
export const runnerEndMs = 10_000
const lookMs = 25

/** Continues a suspended runner of a run that is being closed: it could neither save nor end otherwise. */
export function wakeHost(
  runs: Pick<KnownRuns, 'holder'>,
  { run }: Pick<RunAddress, 'run'>,
  { platform }: { platform: string },
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
 * Resolves when the process that hosted the agent of a closed run here has ended, so that its folder is free; also after
 * a time limit, or when the user stops the command.
 */
export async function untilHostEnds(
  runs: Pick<KnownRuns, 'holder'>,
  { run }: Pick<RunAddress, 'run'>,
  stop: AbortSignal,
): Promise<void> {
  const enough = performance.now() + runnerEndMs
  while (runs.holder(run) !== null && performance.now() < enough && !stop.aborted) await sleep(lookMs)
}
