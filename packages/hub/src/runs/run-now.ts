import { runNowOf } from '@farhand/protocol/runs/sync-status'
import type { ListedRun, RunNow } from '@farhand/protocol/schemas/api'
import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'
import { listedRuns } from '../store/listing/listed-runs.ts'
import type { Db } from '../store/tables.ts'

export type NowParts = {
  db: Db
  log: EventLog
  /** Whether the runner of this generation was heard recently (W23). */
  isHealthy: (run: RunId, generation: number) => boolean
}

/** The current state of a run, from its log. Null if the log cannot be read, so that other runs can still be listed. */
export async function runNow({ log, isHealthy }: Omit<NowParts, 'db'>, run: RunId): Promise<RunNow | null> {
  const head = await log.head(run).catch(() => null)
  if (!head) return null
  return runNowOf(head.view, head.lastId, isHealthy(run, head.view.generation))
}

/** These runs as they are listed for this user; those that the user may not see are left out. */
export async function runsAsListed(
  parts: NowParts,
  runs: readonly RunId[],
  user: UserId,
): Promise<ListedRun[]> {
  const found = await listedRuns(parts.db, runs, user)
  return await Promise.all(
    found.map(async ({ isOpen: _, ...run }) => ({ ...run, now: await runNow(parts, run.id) })),
  )
}
