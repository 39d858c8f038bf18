import { Stats } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { smallBytes } from '../content/reading.ts'
import { ReadSchedule } from './read-schedule.ts'
import { WriteWaits } from './write-waits.ts'

const nowMs = 1_000_000
const megabyte = 1024 * 1024

/** A file of this size that was written this long ago, and moved or changed in other ways since. */
const file = (size: number, idleMs = 60_000, mode = 0o100644, sinceMs = idleMs): Stats =>
  Object.assign(Object.create(Stats.prototype) as Stats, {
    size,
    mode,
    mtimeMs: nowMs - idleMs,
    ctimeMs: nowMs - sinceMs,
  })

describe('the schedule of files to be read', () => {
  let schedule: ReadSchedule
  beforeEach(() => {
    schedule = new ReadSchedule(new WriteWaits(25))
  })

  const isNow = (stats: Stats, { wasSize = 1, atMs = nowMs, isTurnOfLarge = false } = {}) =>
    schedule.isNow('a', stats, wasSize, atMs, isTurnOfLarge)

  it('a small file is read at once, and so is one that has always been empty', () => {
    expect(isNow(file(smallBytes))).toBe(true)
    expect(isNow(file(0), { wasSize: 0 })).toBe(true)
    expect([schedule.hasLarge, schedule.nextMs]).toEqual([false, Number.POSITIVE_INFINITY])
  })

  it('a large file is read when it is the turn of large files', () => {
    expect(isNow(file(smallBytes + 1))).toBe(false)
    expect(schedule.hasLarge).toBe(true)
    expect(schedule.takeLarge()).toBe('a')
    expect(schedule.hasLarge).toBe(false)
    expect(isNow(file(smallBytes + 1), { isTurnOfLarge: true })).toBe(true)
  })

  it('a link is never large, even if its size says so', () => {
    expect(isNow(file(smallBytes + 1, 60_000, 0o120777))).toBe(true)
  })

  it('a file that was emptied is read a moment later, though it is still empty then', () => {
    expect(isNow(file(0))).toBe(false)
    expect([...schedule.waiting()]).toEqual(['a'])
    expect(schedule.nextMs).toBe(nowMs + 25)
    expect(schedule.take(nowMs + 24)).toEqual([])
    expect(schedule.take(nowMs + 25)).toEqual(['a'])
    expect(isNow(file(0), { atMs: nowMs + 25 })).toBe(true)
  })

  it('a file that is emptied again after it was read waits again', () => {
    isNow(file(0))
    schedule.settled('a')
    expect(isNow(file(0), { atMs: nowMs + 100 })).toBe(false)
  })

  it('a large file that is being written waits for its time first, also when it is the turn of large ones', () => {
    expect(isNow(file(megabyte + 1, 5), { isTurnOfLarge: true })).toBe(false)
    expect(schedule.hasLarge).toBe(false)
    expect([...schedule.waiting()]).toEqual(['a'])
  })

  it('a large file that has just been moved here, as old as it is, waits until its times prove something', () => {
    expect(isNow(file(megabyte + 1, 60_000, 0o100644, 5), { isTurnOfLarge: true })).toBe(false)
    expect(schedule.nextMs).toBe(nowMs + 16)
    expect(isNow(file(megabyte + 1), { atMs: nowMs + 16, isTurnOfLarge: true })).toBe(true)
  })

  it('a path that was reported too often waits, though its file could be read', () => {
    for (let n = 0; n < 200; n++) schedule.reported('a', nowMs, 0)
    expect(isNow(file(3))).toBe(false)
    expect(schedule.nextMs).toBeGreaterThan(nowMs)
    expect(schedule.isNow('b', file(3), 1, nowMs, false)).toBe(true)
  })

  it('a file that is to be read again comes back at the given time', () => {
    schedule.later('a', nowMs + 2)
    expect(schedule.take(nowMs + 1)).toEqual([])
    expect(schedule.take(nowMs + 2)).toEqual(['a'])
  })
})
