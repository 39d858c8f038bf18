import { expect, it } from 'vitest'
import { readArgs } from './test-args.mjs'

it('npm test takes its own arguments out, wherever they stand', () => {
  expect(readArgs(['packages/hub', '--seed', '-7', '-t', 'W7', '--long'])).toEqual({
    long: true,
    seed: '-7',
    rest: ['packages/hub', '-t', 'W7'],
  })
  expect(readArgs(['--seed=12'])).toMatchObject({ long: false, seed: '12', rest: [] })
})

it('a seed that is no number would replay nothing, and is refused', () => {
  for (const args of [['--seed'], ['--seed', 'packages/hub'], ['--seed=']]) {
    expect(() => readArgs(args)).toThrow('--seed takes the whole number')
  }
})
