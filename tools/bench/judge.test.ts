import { describe, expect, it } from 'vitest'
import { judge } from './judge.ts'

const goal = { text: 'at least half', metric: 'events/s', hub: 'hub', over: 'peer', atLeast: 0.5 }
const figures = (name: string, values: number[]) => ({
  name,
  samples: values.map((value) => ({ 'events/s': value })),
})

describe('judge', () => {
  it('takes the middle of the rounds, each compared with the peer of its own round', () => {
    const verdict = judge(goal, [figures('hub', [10, 60, 90]), figures('peer', [100, 100, 100])])
    expect(verdict).toEqual({
      goal: 'at least half',
      aim: false,
      measured: '0.6x (0.1 to 0.9)',
      reached: true,
    })
  })

  it('a goal is missed when the middle is on the wrong side', () => {
    const atMost = { text: 'at most twice', metric: 'events/s', hub: 'hub', over: 'peer', atMost: 2 }
    expect(judge(atMost, [figures('hub', [30]), figures('peer', [10])]).reached).toBe(false)
    expect(judge(goal, [figures('hub', [30]), figures('peer', [100])]).reached).toBe(false)
  })

  it('a peer that could not be had is neither reached nor missed, and named', () => {
    const absent = { name: 'peer', peer: true as const, samples: [], missing: 'not installed' }
    expect(judge(goal, [figures('hub', [1]), absent])).toMatchObject({
      measured: 'peer: not installed',
      reached: null,
    })
  })

  it('a hub that fails, or a floor of ours, misses the goal', () => {
    const broken = { name: 'hub', samples: [], missing: 'failed: it lost 3 events' }
    const expected = { measured: 'hub: failed: it lost 3 events', reached: false }
    expect(judge(goal, [broken, figures('peer', [1])])).toMatchObject(expected)
    const floor = { name: 'peer', samples: [], missing: 'failed: it ended' }
    expect(judge(goal, [figures('hub', [1]), floor]).reached).toBe(false)
  })

  it('a peer measured in fewer rounds is compared by its middle, not by the rounds it happens to share', () => {
    const verdict = judge(goal, [figures('hub', [90, 30, 90]), figures('peer', [100])])
    expect(verdict).toMatchObject({ measured: '0.9x (0.3 to 0.9)', reached: true })
  })

  it('where something may never happen the worst round counts', () => {
    const never = { text: 'never above 100', metric: 'events/s', hub: 'hub', worst: true as const }
    const measured = [figures('hub', [10, 20, 130])]
    expect(judge({ ...never, atMost: 100 }, measured)).toMatchObject({
      measured: '130 (10 to 130)',
      reached: false,
    })
    expect(judge({ ...never, atLeast: 15 }, measured).reached).toBe(false)
  })

  it('one metric may be held against another of the other', () => {
    const mixed = { text: 'p99', metric: 'p99', overMetric: 'p50', hub: 'hub', over: 'floor', atMost: 12 }
    const of = (name: string, p50: number, p99: number) => ({ name, samples: [{ p50, p99 }] })
    expect(judge(mixed, [of('hub', 3, 11), of('floor', 1, 100)])).toMatchObject({
      measured: '11x',
      reached: true,
    })
  })

  it('a goal without a peer is a bound', () => {
    const bound = { text: 'at most 128', metric: 'events/s', hub: 'hub', atMost: 128, unit: 'KiB' }
    expect(judge(bound, [figures('hub', [12])])).toMatchObject({ measured: '12 KiB', reached: true })
  })
})
