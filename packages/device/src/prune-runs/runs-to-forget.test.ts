import { RunId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { type ClosedRun, runsToForget } from './prune-runs.ts'

const day = 24 * 60 * 60 * 1000
const now = 1000 * day
const closed = (n: number, daysAgo: number, url: string | null = 'http://a'): ClosedRun => ({
  run: RunId.parse(`run_${String(n).padStart(8, '0')}`),
  url,
  closedAt: now - daysAgo * day,
})
const idsOf = (runs: readonly ClosedRun[]) => runs.map(({ run }) => Number(run.slice(4)))

describe('runs that need not be remembered', () => {
  it('are those that were closed a month ago', () => {
    const runs = [closed(1, 31), closed(2, 29), closed(3, 30)]
    expect(idsOf(runsToForget(runs, new Set(), now))).toEqual([3, 1])
  })

  it('are those before the last twenty, however young', () => {
    const runs = Array.from({ length: 23 }, (_, n) => closed(n, n / 100))
    expect(idsOf(runsToForget(runs, new Set(), now))).toEqual([20, 21, 22])
  })

  it('are never the last by which a hub is remembered', () => {
    const runs = [closed(1, 50), closed(2, 40), closed(3, 60, 'http://b'), closed(4, 70, null)]
    expect(idsOf(runsToForget(runs, new Set(), now))).toEqual([1, 4])
    expect(idsOf(runsToForget(runs, new Set(['http://a', 'http://b']), now))).toEqual([2, 1, 3, 4])
  })
})
