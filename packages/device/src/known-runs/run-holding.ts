import type { StateFolder } from '@farhand/sync/state/state-folder'
import { KnownRuns } from './known-runs.ts'

/** The run for which this process, a runner or a link, keeps the folder in sync; null if that is not known. */
export function runHolding(state: StateFolder, workspace: string, pid: number): string | null {
  const runs = new KnownRuns(state.root)
  const hosted = runs.all().find(({ at }) => runs.holder(at.run) === pid)
  return (hosted ?? state.find(workspace))?.at.run ?? null
}
