import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countIds, hasId, IdList, idsPerPortion, withId, withoutId } from './id-list.ts'

const upTo = (count: number) => {
  let list: IdList = []
  for (let id = 1; id <= count; id++) list = withId(list, id)
  return list
}

describe('a list of event ids', () => {
  it('holds what was added and not taken away, in order, and leaves the list it was made from as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(3000)), { maxLength: 50, size: 'max' }), (steps) => {
        let list = upTo(1800)
        let next = 1801
        const expected = new Set(list.flat())
        for (const [adds, id] of steps) {
          const before = structuredClone(list)
          const given = list
          list = adds ? withId(list, next) : withoutId(list, id)
          if (adds) expected.add(next++)
          else expected.delete(id)
          expect(given).toEqual(before)
        }
        expect(IdList.parse(list).flat()).toEqual([...expected])
        expect(countIds(list)).toBe(expected.size)
        for (const [, id] of steps) expect(hasId(list, id)).toBe(expected.has(id))
      }),
      { numRuns: 30 },
    )
  })

  it('copies one portion for a change, however long it is', () => {
    const list = upTo(20 * idsPerPortion + 1)
    expect(Math.max(...list.map((portion) => portion.length))).toBe(idsPerPortion)
    const changed = (after: IdList) => list.filter((portion) => !after.includes(portion)).length
    expect(changed(withId(list, 1_000_000))).toBe(1)
    expect(changed(withoutId(list, 7))).toBe(1)
    expect(withoutId(list, 1_000_000)).toBe(list)
  })

  it('has no empty portion', () => {
    expect(withoutId(withId([], 5), 5)).toEqual([])
  })
})
