import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Alarm } from './alarm.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 })
  onTestFinished(() => void vi.useRealTimers())
})

describe('an alarm', () => {
  it('rings for each key at its time, with one timer for all of them', () => {
    const rung: string[] = []
    const alarm = new Alarm<string>((key) => rung.push(`${key} at ${Date.now()}`))
    alarm.set('b', 200)
    alarm.set('a', 100)
    alarm.set('c', 200)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(150)
    expect(rung).toEqual(['a at 100'])
    vi.advanceTimersByTime(100)
    expect(rung.slice(1).sort()).toEqual(['b at 200', 'c at 200'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('forgets the time before when it is given another, and has no timer when there is none', () => {
    const rung: string[] = []
    const alarm = new Alarm<string>((key) => rung.push(`${key} at ${Date.now()}`))
    alarm.set('a', 100)
    alarm.set('a', 300)
    vi.advanceTimersByTime(299)
    expect(rung).toEqual([])
    vi.advanceTimersByTime(1)
    expect(rung).toEqual(['a at 300'])
    alarm.set('b', 400)
    alarm.set('b', null)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('may be set again by its own callback, also for a time that has passed', () => {
    let rings = 0
    const alarm: Alarm<string> = new Alarm((key) => {
      if (++rings < 3) alarm.set(key, 0)
    })
    alarm.set('a', 10)
    vi.advanceTimersByTime(20)
    expect(rings).toBe(3)
  })

  it('waits longer than a timer can', () => {
    const rung: string[] = []
    const alarm = new Alarm<string>((key) => rung.push(key))
    const at = 2 ** 31 + 5_000
    alarm.set('a', at)
    vi.advanceTimersByTime(at - 1)
    expect(rung).toEqual([])
    vi.advanceTimersByTime(1)
    expect(rung).toEqual(['a'])
  })
})
