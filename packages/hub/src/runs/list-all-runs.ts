import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { UserId } from '@farhand/protocol/wire/ids'
import type { RunStatus } from '@farhand/protocol/wire/run-status'
import type { Page, Paged } from '../store/page.ts'
import { listRunsOf } from '../store/runs.ts'
import { noteIfOpen } from './note-from-log.ts'
import { noteNotWaiting } from './note-waiting.ts'
import { type NowParts, runNow } from './run-now.ts'

type Wanted = {
  status?: RunStatus | undefined
  begins?: string | undefined
  find?: string | undefined
  isArchived?: boolean | undefined
  isWaiting?: true | undefined
  byActivity?: true | undefined
}

/**
 * A page of the runs of a user, wherever they live, and how each stands as its log says now. With a status, or
 * of those that wait, a page may be short, or empty, though more follow: what the store knows only spares looking at runs
 * that are closed, or have not asked anybody anything.
 */
export async function listAllRuns(
  parts: NowParts,
  owner: UserId,
  { status, isWaiting, ...wanted }: Wanted,
  page: Page,
): Promise<Paged<ListedRun>> {
  const isOpen = isWaiting || (status !== undefined && status !== 'closed') ? true : undefined
  const found = await listRunsOf(parts.db, owner, { isOpen, mayWait: isWaiting, ...wanted }, page)
  const items = await Promise.all(
    found.items.map(async ({ isOpen, ...run }): Promise<ListedRun> => {
      const now = await runNow(parts, run.id)
      try {
        if (isOpen && now?.status === 'closed') await noteIfOpen(parts, run.id)
        if (isWaiting && now?.questions === 0) await noteNotWaiting(parts, run.id)
      } catch {
        // A disk too full to note it must not shut out those who only want to read; it is looked at again.
      }
      return { ...run, now }
    }),
  )
  const isWanted = ({ now }: ListedRun) =>
    (status === undefined || now?.status === status) && (!isWaiting || now?.agentStatus === 'waiting')
  return { items: items.filter(isWanted), next: found.next }
}
