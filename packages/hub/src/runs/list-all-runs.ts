import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { UserId } from '@farhand/protocol/wire/ids'
import type { RunStatus } from '@farhand/protocol/wire/run-status'
import { listRunsOf } from '../store/listing/listed-runs.ts'
import type { Page, Paged } from '../store/page.ts'
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
 * A page of a user's runs in all projects, each with its current state from its log. When filtered by status or waiting, a page may be
 * short or empty although more follow: the store's flags only skip runs that are surely closed or have no question.
 */
export async function listAllRuns(
  parts: NowParts,
  user: UserId,
  { status, isWaiting, ...wanted }: Wanted,
  page: Page,
): Promise<Paged<ListedRun>> {
  const isOpen = isWaiting || (status !== undefined && status !== 'closed') ? true : undefined
  const found = await listRunsOf(parts.db, user, { isOpen, mayWait: isWaiting, ...wanted }, page)
  const items = await Promise.all(
    found.items.map(async ({ isOpen, ...run }): Promise<ListedRun> => {
      const now = await runNow(parts, run.id)
      try {
        if (isOpen && now?.status === 'closed') await noteIfOpen(parts, run.id)
        if (isWaiting && now?.questions === 0) await noteNotWaiting(parts, run.id)
      } catch {
        // A full disk must not prevent reading; the flag is updated at a later read.
      }
      return { ...run, now }
    }),
  )
  const isWanted = ({ now }: ListedRun) =>
    (status === undefined || now?.status === status) && (!isWaiting || now?.agentStatus === 'waiting')
  return { items: items.filter(isWanted), next: found.next }
}
