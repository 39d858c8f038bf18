import { expect, it } from 'vitest'
import { nearestNames } from './nearest-names.ts'

const names = ['.env', '.ci/run', 'src/main.ts', 'test/main.ts', 'README.md']

it.each([
  ['main.ts', ['src/main.ts', 'test/main.ts']],
  ['src/mian.ts', ['src/main.ts']],
  ['REDME.md', ['README.md']],
  ['a', []],
  ['nothing/like/it.txt', []],
])('%s may have been meant as one of %j, and as nothing farther away', (typed, near) => {
  expect(nearestNames(typed, names)).toEqual(near)
})
