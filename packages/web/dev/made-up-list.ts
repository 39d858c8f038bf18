import type { ListedRun } from '@farhand/protocol/schemas/api'
import type { RunList, RunListSource } from '../src/run-list/run-list-source.ts'
import { madeUpRuns } from './made-up-runs.ts'

/** A run list that behaves like the hub's, with made-up runs. */
export function madeUpList(more: Partial<RunList> = {}): RunListSource {
  let all: readonly ListedRun[] = more.runs ?? madeUpRuns
  let list: RunList = {
    runs: all,
    asked: { find: '', archived: false },
    hasMore: false,
    isLoading: false,
    asOf: Date.now(),
    isLive: true,
    trouble: null,
    ...more,
  }
  const listeners = new Set<() => void>()
  const show = (asked = list.asked) => {
    const has = (text: string) => text.toLowerCase().includes(asked.find.toLowerCase())
    const runs = all.filter(
      (run) => (run.isArchived ?? false) === asked.archived && (has(run.title) || has(run.projectName)),
    )
    list = { ...list, asked, runs }
    for (const listener of listeners) listener()
  }
  const change = (id: string, part: Partial<ListedRun>) => {
    all = all.map((run) => (run.id === id ? { ...run, ...part } : run))
    show()
  }
  return {
    now: () => list,
    subscribe(changed) {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
    ask: show,
    more: () => {},
    refresh: () => {},
    rename: async ({ run }, title) => change(run, { title }),
    archive: async ({ run }, isArchived) => change(run, { isArchived }),
  }
}
