import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunListQuery } from './run-list-source.ts'

const has = (text: string, find: string) => text.toLowerCase().includes(find.toLowerCase())

/** Whether the hub would list this run for that question, as far as this can be told here. */
export function isAskedFor(run: ListedRun, { find, archived }: RunListQuery): boolean {
  if ((run.isArchived ?? false) !== archived) return false
  const wanted = find.trim()
  return wanted === '' || [run.title, run.projectName, run.id].some((text) => has(text, wanted))
}

/**
 * The list with what the hub tells of one run: in its place, gone if it was not asked for any more, or at the place of
 * its age. One of a page that was not asked for yet is listed too: that it needs somebody must not wait for that page.
 */
export function withListed(
  runs: readonly ListedRun[],
  run: ListedRun,
  query: RunListQuery,
): readonly ListedRun[] {
  if (isAskedFor(run, query)) return put(runs, run)
  const at = runs.findIndex(({ id }) => id === run.id)
  return at === -1 ? runs : runs.toSpliced(at, 1)
}

/** The list with a page of the hub's, which knows best what has in it what was looked for; not with what was put away since. */
export const withPage = (
  runs: readonly ListedRun[],
  page: readonly ListedRun[],
  { archived }: RunListQuery,
): readonly ListedRun[] => page.filter((run) => (run.isArchived ?? false) === archived).reduce(put, runs)

/** Those that are as old as another are in the order in which they come. */
function put(runs: readonly ListedRun[], run: ListedRun): readonly ListedRun[] {
  const at = runs.findIndex(({ id }) => id === run.id)
  if (at !== -1) return runs[at] === run ? runs : runs.with(at, run)
  const older = runs.findIndex(({ createdAt }) => createdAt < run.createdAt)
  return older === -1 ? [...runs, run] : runs.toSpliced(older, 0, run)
}
