import type { ListedRun } from '@farhand/protocol/schemas/api'
import { standing } from './standing.ts'

export type RunSection = { name: string; runs: readonly ListedRun[] }

/** The list as it is shown: what waits for a person, what is under way, and the others, each by the age that stands beside it. */
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

/** When something was last done in a run: the age that a list shows of it. */
export const activeAt = ({ now, createdAt }: ListedRun): string => now?.lastActivityAt ?? createdAt

/** Those first in which something was done last. */
export const latestFirst = (a: ListedRun, b: ListedRun) => Date.parse(activeAt(b)) - Date.parse(activeAt(a))
