import { sampleHash } from '@farhand/protocol/events/sample-log'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it } from 'vitest'
import { differencesBetween, needsAnswer } from './first-attach.ts'
import type { Entry } from './reconcile.ts'
import { sample } from './sync-notes.ts'

const tree = (files: Record<string, string>) =>
  new Map(
    Object.entries(files).map(([path, letter]): [WorkspacePath, Entry] => [
      path as WorkspacePath,
      { mode: '100644', hash: sampleHash(letter) },
    ]),
  )
const wordNeeded = (here: Record<string, string>, there: Record<string, string>) =>
  needsAnswer(
    differencesBetween(tree(here), tree(there)),
    Object.keys(here).length,
    Object.keys(there).length,
  )

describe('a folder and a run that meet for the first time', () => {
  it('S11 says what is only here, only there, and different', () => {
    const meeting = differencesBetween(tree({ a: 'x', b: 'x', c: 'x' }), tree({ b: 'x', c: 'y', d: 'z' }))
    expect(meeting).toEqual({ onlyHere: ['a'], onlyThere: ['d'], differ: ['c'] })
  })

  it('S11 asks no question when one side is empty or both are the same', () => {
    expect(wordNeeded({}, { a: 'x' })).toBe(false)
    expect(wordNeeded({ a: 'x' }, {})).toBe(false)
    expect(wordNeeded({ a: 'x' }, { a: 'x' })).toBe(false)
  })

  it('S11 asks the user when both sides have files and they are not the same', () => {
    expect(wordNeeded({ a: 'x' }, { a: 'y' })).toBe(true)
    expect(wordNeeded({ a: 'x' }, { a: 'x', b: 'y' })).toBe(true)
    expect(wordNeeded({ a: 'x', b: 'y' }, { a: 'x' })).toBe(true)
  })

  it('shows some paths and counts them all', () => {
    const paths = Array.from({ length: 50 }, (_, n) => `f${n}` as WorkspacePath)
    expect(sample(paths).count).toBe(50)
    expect(sample(paths).some).toEqual(paths.slice(0, 20))
  })
})
