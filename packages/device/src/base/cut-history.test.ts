import { expect, it } from 'vitest'
import { cutHistory, depthsToTry } from './cut-history.ts'

//  e - d - b - a     c is merged into d, and has a as its parent, too
//       \- c -/
const parents = new Map([
  ['e', ['d']],
  ['d', ['b', 'c']],
  ['b', ['a']],
  ['c', ['a']],
  ['a', []],
])

it('a history that is cut keeps every commit with all of its parents, or with none', () => {
  expect(cutHistory(['e'], parents, 1)).toEqual({ commits: new Set('e'), shallow: ['e'] })
  expect(cutHistory(['e'], parents, 3)).toEqual({ commits: new Set('edbc'), shallow: ['b', 'c'] })
  expect(cutHistory(['e'], parents, 9)).toEqual({ commits: new Set('edbca'), shallow: [] })
  expect(cutHistory(['e', 'b'], parents, 2)).toEqual({ commits: new Set('ebda'), shallow: ['d'] })
})

it('ends at commits whose parents are not known', () => {
  expect(cutHistory(['e'], new Map([['e', ['d']]]), 9)).toEqual({ commits: new Set('ed'), shallow: ['d'] })
})

it('is not packed as a whole if more is stored than may be sent', () => {
  expect(depthsToTry(10, 10)).toEqual([null, 50, 1])
  expect(depthsToTry(11, 10)).toEqual([50, 1])
})
