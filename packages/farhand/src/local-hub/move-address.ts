import type { StateFolder } from '@farhand/sync/state/state-folder'
import { LocalRuns } from '../local-runs/local-runs.ts'

/** Has the folders and runs of a hub that was at one of these addresses find it where it is now. */
export function moveAddress(state: StateFolder, before: readonly string[], now: string): void {
  const isMoved = ({ url }: { url: string }) => url !== now && before.includes(url)
  for (const link of state.links().filter(isMoved)) state.save({ ...link, url: now })
  const runs = new LocalRuns(state.root)
  for (const run of runs.all().filter(isMoved)) {
    const closedAt = runs.closedAt(run.at.run)
    runs.save({ ...run, url: now })
    if (closedAt !== null) runs.noteClosed(run.at.run, new Date(closedAt))
  }
}
