import { describe, expect, it } from 'vitest'
import { isWithin } from './json-within.ts'

describe('the length of a value', () => {
  it.each([
    ['a text', 'x'.repeat(100)],
    ['a list', Array(100).fill(1)],
    ['names', Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`name ${n}`, null]))],
    ['something far inside', [[[{ a: ['x'.repeat(100)] }]]]],
  ])('counts %s', (_, value) => {
    expect(isWithin(value, 90)).toBe(false)
    expect(isWithin(value, 900)).toBe(true)
  })

  it('is told of values nested deeper than a stack', () => {
    const depth = 100_000
    const value: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    expect(isWithin(value, 1_000_000)).toBe(true)
    expect(isWithin(value, 1000)).toBe(false)
  })
})
