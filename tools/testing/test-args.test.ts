import { expect, it } from 'vitest'
import { readArgs } from './test-args.mjs'

it('npm test takes paths, a name and its flags in any order', () => {
  expect(readArgs(['packages/hub', '--seed', '-7', '-t', 'W7', '--long'])).toEqual({
    long: true,
    seed: '-7',
    help: false,
    name: 'W7',
    notesTimes: false,
    paths: ['packages/hub'],
  })
  expect(readArgs(['--seed=12'])).toMatchObject({ long: false, seed: '12', paths: [] })
})

it('a seed that is no number would replay nothing, and is refused', () => {
  for (const args of [['--seed'], ['--seed', 'packages/hub'], ['--seed=']]) {
    expect(() => readArgs(args)).toThrow('--seed takes the whole number')
  }
})

it('how long files take is kept of a run of all tests only', () => {
  expect(readArgs(['--note-times'])).toMatchObject({ notesTimes: true })
  expect(() => readArgs(['--note-times', 'packages/hub'])).toThrow('a run of all tests')
})

it('a flag without effect is refused', () => {
  expect(() => readArgs(['--bail'])).toThrow("'--bail'")
})
