import { expect, it } from 'vitest'
import { repeats } from './repeats.ts'

const same = (times: number) => Array.from({ length: times }, () => ({ call: 'read a', result: 'none' }))

it('the same call with the same result is warned of at the third time and stopped at the fifth', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map((times) => repeats(same(times)))).toEqual([
    'no',
    'no',
    'no',
    'warn',
    'warn',
    'stop',
    'stop',
  ])
})

it('a call with a new result is no repetition, and the calls before it do not count', () => {
  expect(repeats([...same(9), { call: 'read a', result: 'something' }])).toBe('no')
  expect(repeats([...same(4), { call: 'read b', result: 'none' }, ...same(2)])).toBe('no')
})

it('a cycle of a few calls counts as repetition, too', () => {
  const circle = ['read a', 'read b', 'read c'].map((call) => ({ call, result: 'none' }))
  expect(repeats([...circle, ...circle])).toBe('no')
  expect(repeats([...circle, ...circle, ...circle])).toBe('warn')
  expect(repeats(Array.from({ length: 5 }, () => circle).flat())).toBe('stop')
})
