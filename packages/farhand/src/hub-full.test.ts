import { expect, it } from 'vitest'
import { hubFull } from './hub-full.ts'

it('a full disk of the hub names a file and what to do, and is no connection that was lost', () => {
  expect(hubFull(['big.bin', 'b', 'c'] as never)).toEqual({
    is: 'trouble',
    path: 'big.bin',
    why: 'the hub has no room left for it and 2 others; free some space where the hub keeps its data',
  })
})
