import { runNowOf } from '@farhand/protocol/runs/sync-status'
import type { ListedRun, RunNow } from '@farhand/protocol/schemas/api'
import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import type { Kysely } from 'kysely'
import type { EventLog } from '../log/event-log.ts'
import { listedRuns } from '../store/runs.ts'
import type { Tables } from '../store/tables.ts'

export type NowParts = {
  db: Kysely<Tables>
  log: EventLog
  /** Whether the runner of this generation was heard of late (W23). */
  isHealthy: (run: RunId, generation: number) => boolean
}

/** How a run stands, as its log says now. Null if that cannot be read: it must not keep others from being listed. */
export async function runNow({ log, isHealthy }: Omit<NowParts, 'db'>, run: RunId): Promise<RunNow | null> {
  const head = await log.head(run).catch(() => null)
  if (!head) return null
  return runNowOf(head.view, head.lastId, isHealthy(run, head.view.generation))
}

/** These runs as they are listed, each with its owner. */
export async function runsAsListed(
  parts: NowParts,
  runs: readonly RunId[],
): Promise<{ owner: UserId; run: ListedRun }[]> {
  const found = await listedRuns(parts.db, runs)
  return await Promise.all(
    found.map(async ({ owner, isOpen: _, ...run }) => ({
      owner,
      run: { ...run, now: await runNow(parts, run.id) },
    })),
  )
}
