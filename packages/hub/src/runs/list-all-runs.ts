import type { ListedRun, RunNow } from '@farhand/protocol/api'
import type { RunId, UserId } from '@farhand/protocol/ids'
import type { RunStatus } from '@farhand/protocol/run-status'
import { agentStatus, pendingQuestions } from '@farhand/protocol/sync-status'
import type { Kysely } from 'kysely'
import type { EventLog } from '../log/event-log.ts'
import type { Page, Paged } from '../store/page.ts'
import { listRunsOf } from '../store/runs.ts'
import type { Tables } from '../store/tables.ts'
import { noteFromLog } from './note-from-log.ts'

type IsHealthy = (run: RunId, generation: number) => boolean

type Wanted = { status?: RunStatus | undefined; begins?: string | undefined }

/**
 * A page of the runs of a user, wherever they live, and how each stands as its log says now. With a status a page may
 * be short, or empty, though more follow: what the store knows only spares looking at runs that are closed.
 */
export async function listAllRuns(
  parts: { db: Kysely<Tables>; log: EventLog; isHealthy: IsHealthy },
  owner: UserId,
  { status, begins }: Wanted,
  page: Page,
): Promise<Paged<ListedRun>> {
  const isOpen = status !== undefined && status !== 'closed' ? true : undefined
  const found = await listRunsOf(parts.db, owner, { isOpen, begins }, page)
  const items = await Promise.all(
    found.items.map(async ({ isOpen, ...run }): Promise<ListedRun> => {
      const now = await standing(parts, run.id)
      if (isOpen && now?.status === 'closed') await noteFromLog(parts, run.id)
      return { ...run, now }
    }),
  )
  const isWanted = ({ now }: ListedRun) => status === undefined || now?.status === status
  return { items: items.filter(isWanted), next: found.next }
}

/** Null if its log cannot be read: that must not keep the others from being listed. */
async function standing(
  { log, isHealthy }: { log: EventLog; isHealthy: IsHealthy },
  run: RunId,
): Promise<RunNow | null> {
  const head = await log.head(run).catch(() => null)
  if (!head) return null
  const { view, lastId } = head
  return {
    status: view.status,
    agentStatus: agentStatus(view),
    mode: view.mode,
    questions: pendingQuestions(view).length,
    lastEventId: lastId,
    sandboxHealthy: isHealthy(run, view.generation),
  }
}
