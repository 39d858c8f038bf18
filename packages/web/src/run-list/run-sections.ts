import type { ListedRun } from '@farhand/protocol/schemas/api'
import { standing } from '@farhand/story/wording/standing'

export type RunSection = { name: string; runs: readonly ListedRun[] }

/** The sections of the list: runs that need the user, running ones, and the others; each by last activity. */
export function runSections(runs: readonly ListedRun[]): RunSection[] {
  const of = (run: ListedRun) => {
    const { kind } = standing(run)
    if (kind === 'needs-you') return 'Needs you'
    return kind === 'working' || kind === 'starting' ? 'Working' : 'Earlier'
  }
  const names = ['Needs you', 'Working', 'Earlier']
  return names
    .map((name) => ({ name, runs: runs.filter((run) => of(run) === name).sort(latestFirst) }))
    .filter((section) => section.runs.length > 0)
}

/** The time of the last activity in a run, which the list shows. */
export const activeAt = ({ now, createdAt }: ListedRun): string => now?.lastActivityAt ?? createdAt

/** Sorts by last activity, latest first. */
export const latestFirst = (a: ListedRun, b: ListedRun) => Date.parse(activeAt(b)) - Date.parse(activeAt(a))
