import { describe, expect, it } from 'vitest'
import { ReportPace } from './report-pace.ts'

/** When a file that changes all the time is spoken of within this many milliseconds. */
function spoken(pace: ReportPace, everyMs: number, forMs: number, costMs = 0): number[] {
  const times: number[] = []
  for (let now = 0; now < forMs; now += everyMs) {
    if (pace.dueAt('log', now) > now) continue
    pace.reported('log', now, costMs)
    times.push(now)
  }
  return times
}

describe('the pace', () => {
  it('lets every change of a file through that changes fifty times a second', () => {
    expect(spoken(new ReportPace(), 20, 60_000)).toHaveLength(3000)
  })

  it('speaks of a file that changes without end ever less often, every two seconds in the end', () => {
    const times = spoken(new ReportPace(), 1, 120_000)
    expect(times.length).toBeLessThan(300)
    expect(times.at(-1)! - times.at(-2)!).toBe(2000)
    expect(times.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('speaks less often of what is dear to read, though it changes but a few times a second', () => {
    const times = spoken(new ReportPace(), 200, 60_000, 100)
    expect(times.slice(0, 3)).toEqual([0, 200, 400])
    expect(times.length).toBeLessThan(60)
  })

  it('what is dear to read goes at once if it changes every now and then', () => {
    expect(spoken(new ReportPace(), 1_000, 60_000, 100)).toHaveLength(60)
    expect(spoken(new ReportPace(), 2_500, 60_000, 10_000)).toHaveLength(24)
  })

  it('forgives a file that has been quiet, and does not care about others', () => {
    const pace = new ReportPace()
    spoken(pace, 1, 60_000)
    expect(pace.dueAt('other', 60_000)).toBe(60_000)
    expect(pace.dueAt('log', 65_000)).toBe(65_000)
  })

  it('a clock that was set back makes no report wait', () => {
    const pace = new ReportPace()
    spoken(pace, 1, 60_000)
    expect(pace.dueAt('log', 1000)).toBe(1000)
  })
})
