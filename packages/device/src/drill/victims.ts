import path from 'node:path'
import { familyOf, type ProcessRow } from './process-table.ts'

export const victims = ['runner', 'agent', 'sandbox', 'hub'] as const
export type Victim = (typeof victims)[number]

/** The processes to kill for this victim; none if it is not running. The hub is killed by DrillHub. */
export function processesOf(
  victim: Exclude<Victim, 'hub'>,
  sandboxFolder: string,
  table: readonly ProcessRow[],
): number[] {
  const supervisor = table.find(
    ({ words }) => words.includes('farhand-sandbox') && hasWord(words, sandboxFolder),
  )
  const family = supervisor ? familyOf(supervisor.pid, table) : []
  if (victim === 'sandbox') return family.map(({ pid }) => pid)
  // The processes that start the runner have the same arguments; the runner is the last of them.
  const runner = family.findLast(({ words }) => / runner --letter\b/.test(words))
  if (!runner) return []
  if (victim === 'runner') return [runner.pid]
  return family.flatMap(({ pid, parent, words }) =>
    parent === runner.pid && !isErrand.test(words) ? [pid] : [],
  )
}

/** Helper programs of the runner, which are not the agent. */
const isErrand = /(?:^|[ /])(?:git|tar)(?: |$)/

const hasWord = (words: string, word: string) =>
  words.split(' ').some((one) => path.resolve('/', one) === word)
