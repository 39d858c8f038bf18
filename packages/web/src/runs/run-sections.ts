import type { ListedRun } from '@farhand/protocol/api'
import { standing } from './standing.ts'

export type RunSection = { name: string; runs: readonly ListedRun[] }

/** The list as it is shown: what waits for a person, what is under way, and the others, each in the order given. */
export function runSections(runs: readonly ListedRun[]): RunSection[] {
  const of = (run: ListedRun) => {
    const { kind } = standing(run)
    if (kind === 'needs-you') return 'Needs you'
    return kind === 'working' || kind === 'starting' ? 'Working' : 'Earlier'
  }
  const names = ['Needs you', 'Working', 'Earlier']
  return names
    .map((name) => ({ name, runs: runs.filter((run) => of(run) === name) }))
    .filter((section) => section.runs.length > 0)
}
