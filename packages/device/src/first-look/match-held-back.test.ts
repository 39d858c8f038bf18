import { expect, it } from 'vitest'
import { matchHeldBack } from './match-held-back.ts'

it('tells what is named by itself from what lies in a named folder, and from what is not held back', () => {
  expect(matchHeldBack(['.env', 'a', 'b'], ['.env', 'a/x', 'a/y/z', 'ab/c'])).toEqual({
    exactly: ['.env'],
    inFolders: ['a/x', 'a/y/z'],
    unknown: ['b'],
  })
})

it('takes a folder that is held back as a whole for what lies in it', () => {
  expect(matchHeldBack(['big'], ['big/'])).toEqual({ exactly: [], inFolders: ['big/'], unknown: [] })
})
