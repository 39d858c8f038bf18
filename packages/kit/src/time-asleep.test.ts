import { expect, it } from 'vitest'
import { sleptMs } from './time-asleep.ts'

const before = { wall: 1_000_000, steady: 500 }
const after = (wall: number, steady: number) =>
  sleptMs(before, { wall: 1_000_000 + wall, steady: 500 + steady }, 5_000, 4_000)

it('a machine that slept is told by the time of day, though the steady clock stood still', () => {
  expect(after(86_400_000, 5_000)).toBe(86_395_000)
})

it('a process that was stopped is told by both clocks', () => {
  expect(after(60_000, 60_000)).toBe(55_000)
  // Even if the time of day was set back meanwhile.
  expect(after(-3_600_000, 60_000)).toBe(55_000)
})

it('a busy moment is no sleep, and neither is a clock that was set back', () => {
  expect(after(5_003, 5_003)).toBe(0)
  expect(after(9_000, 9_000)).toBe(0)
  expect(after(-86_400_000, 5_000)).toBe(0)
})
