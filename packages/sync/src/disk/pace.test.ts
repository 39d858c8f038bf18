import { describe, expect, it } from 'vitest'
import { Pace } from './pace.ts'

/** When a file that changes all the time is spoken of within this many milliseconds. */
function spoken(pace: Pace, everyMs: number, forMs: number): number[] {
  const times: number[] = []
  for (let now = 0; now < forMs; now += everyMs) {
    if (pace.dueAt('log', now) > now) continue
    pace.spoke('log', now)
    times.push(now)
  }
  return times
}

describe('the pace', () => {
  it('lets every change of a file through that changes fifty times a second', () => {
    expect(spoken(new Pace(), 20, 60_000)).toHaveLength(3000)
  })

  it('speaks of a file that changes without end ever less often, every two seconds in the end', () => {
    const times = spoken(new Pace(), 1, 120_000)
    expect(times.length).toBeLessThan(300)
    expect(times.at(-1)! - times.at(-2)!).toBe(2000)
    expect(times.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('forgives a file that has been quiet, and does not care about others', () => {
    const pace = new Pace()
    spoken(pace, 1, 60_000)
    expect(pace.dueAt('other', 60_000)).toBe(60_000)
    expect(pace.dueAt('log', 65_000)).toBe(65_000)
  })

  it('a clock that was set back keeps nobody waiting', () => {
    const pace = new Pace()
    spoken(pace, 1, 60_000)
    expect(pace.dueAt('log', 1000)).toBe(1000)
  })
})
