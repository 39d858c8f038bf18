import { describe, expect, it } from 'vitest'
import { tooManyGone } from './risky-changes.ts'

describe('risky deletions', () => {
  it('S13 lets a few deletions pass, in a small folder and in a large one', () => {
    expect(tooManyGone(1, 1)).toBeNull()
    expect(tooManyGone(2, 3)).toBeNull()
    expect(tooManyGone(9, 12)).toBeNull()
    expect(tooManyGone(400, 1000)).toBeNull()
    expect(tooManyGone(500, 1000)).toBeNull()
  })

  it('S13 asks when more than half has gone', () => {
    expect(tooManyGone(501, 1000)).toBe('half')
    expect(tooManyGone(10, 19)).toBe('half')
    expect(tooManyGone(10, 20)).toBeNull()
  })

  it('S13 asks when everything has gone, unless that was hardly anything', () => {
    expect(tooManyGone(3, 3)).toBe('emptied')
    expect(tooManyGone(1000, 1000)).toBe('emptied')
    expect(tooManyGone(2, 2)).toBeNull()
  })
})
