import type { KnownRuns } from '../known-runs/known-runs.ts'
import { askHubs, pruneRuns } from './prune-runs.ts'

/** Forgets old runs. Errors are ignored: the next start tries again. */
export async function forgetOldRuns(
  runs: KnownRuns,
  stateFolder: string,
  signal: AbortSignal,
): Promise<void> {
  await pruneRuns(runs, askHubs(stateFolder, signal), new Date()).catch(() => {})
}
