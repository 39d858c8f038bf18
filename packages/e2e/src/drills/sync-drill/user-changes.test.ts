import { describe, expect, it } from 'vitest'
import { localWins, type UserChange, versionsOwed, type Word } from './user-changes.ts'

const did = (saw: Word, left: Word, adrift = false): UserChange => ({ path: 'a', saw, left, adrift })

describe('the expected result of the sync drill', () => {
  it('S2 is what the laptop left last, or what the sandbox made of exactly that', () => {
    const laptop = [did('x', 'l1'), did('l1', 'l2')]
    const sandbox = [did('x', 's1'), did('l2', 's2'), did('s2', null), did(null, 's3')]
    for (const word of ['l2', 's2', null, 's3']) expect(localWins(word, laptop, sandbox)).toBe(true)
    for (const word of ['x', 'l1', 's1', 'something else'])
      expect(localWins(word, laptop, sandbox)).toBe(false)
  })

  it('S2 is not known where the laptop did nothing, or wrote into a file that had just been replaced', () => {
    expect(localWins('s', [], [did('x', 's')])).toBeNull()
    expect(localWins('s', [did('x', 'l', true)], [did('x', 's')])).toBeNull()
  })

  it('S4 is owed for what was written and not taken away by the one who wrote it', () => {
    const changes = [did(null, 'one'), did('one', 'two'), did('other', 'three'), did('three', null)]
    expect(versionsOwed(changes)).toEqual([{ path: 'a', word: 'two' }])
  })
})
