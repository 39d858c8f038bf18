import { expect, it } from 'vitest'
import { monotonicTimes } from './monotonic-times.ts'

const noon = Date.UTC(2026, 0, 1, 12)
const at = (ms: number) => new Date(ms).toISOString()
const nothing = new Map<string, number>()

it('a new time stamp is as old as the clock of the machine says', () => {
  expect(monotonicTimes(nothing, [at(noon - 5000)], noon, 100_000)).toEqual(
    new Map([[at(noon - 5000), 95_000]]),
  )
})

it('a time stamp in the future counts as now, and keeps that value while time goes on', () => {
  const later = at(noon + 1e9)
  const first = monotonicTimes(nothing, [later, null, undefined], noon, 100_000)
  expect(first).toEqual(new Map([[later, 100_000]]))
  expect(monotonicTimes(first, [later], noon + 60_000, 160_000)).toEqual(first)
  expect(monotonicTimes(first, [later], noon - 1e9, 160_000)).toEqual(first)
})

it('a time stamp that the caller no longer asks about is forgotten', () => {
  expect(monotonicTimes(new Map([['x', 1]]), [], noon, 1)).toEqual(nothing)
})
