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

describe('the pace of reports', () => {
  it('lets every change of a file through that changes fifty times a second', () => {
    expect(spoken(new ReportPace(), 20, 60_000)).toHaveLength(3000)
  })

  it('reports a file that changes without end less and less often, every two seconds in the end', () => {
    const times = spoken(new ReportPace(), 1, 120_000)
    expect(times.length).toBeLessThan(300)
    expect(times.at(-1)! - times.at(-2)!).toBe(2000)
    expect(times.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('reports a file less often that is expensive to read, though it changes only a few times a second', () => {
    const times = spoken(new ReportPace(), 200, 60_000, 100)
    expect(times.slice(0, 3)).toEqual([0, 200, 400])
    expect(times.length).toBeLessThan(60)
  })

  it('a file that is expensive to read is reported at once if it changes only now and then', () => {
    expect(spoken(new ReportPace(), 1_000, 60_000, 100)).toHaveLength(60)
    expect(spoken(new ReportPace(), 2_500, 60_000, 10_000)).toHaveLength(24)
  })

  it('starts again for a file that was quiet, and does not count other files', () => {
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
