import type { ListedRun } from '@farhand/protocol/api'
import type { RunListQuery } from '../runs/run-list-source.ts'

const has = (text: string, find: string) => text.toLowerCase().includes(find.toLowerCase())

/** Whether the hub would list this run for that question, as far as this can be told here. */
export function isAskedFor(run: ListedRun, { find, archived }: RunListQuery): boolean {
  if ((run.isArchived ?? false) !== archived) return false
  const wanted = find.trim()
  return wanted === '' || [run.title, run.projectName, run.id].some((text) => has(text, wanted))
}

/**
 * The list with what the hub tells of one run: in its place, gone if it was not asked for any more, or at the place of
 * its age if it is new. One that is older than all that were listed belongs to a later page.
 */
export function withListed(
  runs: readonly ListedRun[],
  run: ListedRun,
  query: RunListQuery,
  hasMore: boolean,
): readonly ListedRun[] {
  const at = runs.findIndex(({ id }) => id === run.id)
  if (!isAskedFor(run, query)) return at === -1 ? runs : runs.toSpliced(at, 1)
  if (at !== -1) return runs.with(at, run)
  const older = runs.findIndex(({ createdAt }) => createdAt < run.createdAt)
  if (older === -1) return hasMore ? runs : [...runs, run]
  return runs.toSpliced(older, 0, run)
}
