import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunListQuery } from './run-list-source.ts'

const has = (text: string, find: string) => text.toLowerCase().includes(find.toLowerCase())

/** Whether the hub would list this run for that query, as far as this page can tell. */
export function matchesQuery(run: ListedRun, { find, archived }: RunListQuery): boolean {
  if ((run.isArchived ?? false) !== archived) return false
  const wanted = find.trim()
  return wanted === '' || [run.title, run.projectName, run.id].some((text) => has(text, wanted))
}

/**
 * The list with one changed run: in its place, removed if it no longer matches, or inserted by age. A run of a page
 * that is not loaded yet is inserted as well, because it may need the user now.
 */
export function withListed(
  runs: readonly ListedRun[],
  run: ListedRun,
  query: RunListQuery,
): readonly ListedRun[] {
  if (matchesQuery(run, query)) return put(runs, run)
  const at = runs.findIndex(({ id }) => id === run.id)
  return at === -1 ? runs : runs.toSpliced(at, 1)
}

/** The list with a page of the hub, which decides what matches the search; without runs that the user archived since. */
export const withPage = (
  runs: readonly ListedRun[],
  page: readonly ListedRun[],
  { archived }: RunListQuery,
): readonly ListedRun[] => page.filter((run) => (run.isArchived ?? false) === archived).reduce(put, runs)

/** Runs of the same age stay in the order in which they came. */
function put(runs: readonly ListedRun[], run: ListedRun): readonly ListedRun[] {
  const at = runs.findIndex(({ id }) => id === run.id)
  if (at !== -1) return runs[at] === run ? runs : runs.with(at, run)
  const older = runs.findIndex(({ createdAt }) => createdAt < run.createdAt)
  return older === -1 ? [...runs, run] : runs.toSpliced(older, 0, run)
}
