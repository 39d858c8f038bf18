import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frameUpdate, noFrame } from './live-region.ts'
import { PaperUnderTest } from './paper-under-test.ts'

const frames = fc.array(fc.stringMatching(/^[a-d]{0,9}$/), { minLength: 1, maxLength: 4 })
const aboves = fc.array(fc.stringMatching(/^[x-z]{1,9}$/), { maxLength: 3 })
const widths = fc.integer({ min: 2, max: 12 })

describe('the bottom of the window', () => {
  it('is what it should be after any change, and what was said above it stays there in order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(frames, aboves), { maxLength: 8 }), (steps) => {
        const paper = new PaperUnderTest(12, 100)
        const said: string[] = []
        let before = noFrame
        for (const [next, above] of steps) {
          paper.write(frameUpdate(before, next, above, false))
          said.push(...above)
          before = next
          expect([paper.above, paper.below]).toEqual([said, next])
          expect(paper.column).toBe(0)
        }
        paper.write(frameUpdate(before, noFrame, [], false))
        expect([paper.above, paper.below]).toEqual([said, ['']])
      }),
    )
  })

  it('repeats and loses nothing in a window of another width, however much later that is known', () => {
    const step = fc.record({ next: frames, above: aboves, width: widths, isKnown: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const paper = new PaperUnderTest(12, 100)
        const said: string[] = []
        let before = noFrame
        for (const { next, above, width, isKnown } of steps) {
          paper.resize(width, 100)
          paper.write(frameUpdate(before, next, above, isKnown))
          said.push(...above)
          before = next
          expect(paper.above).toEqual(said)
          if (isKnown) expect(paper.below).toHaveLength(next.length)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('never loses what was said, also in a window that it does not fit in', () => {
    const height = fc.integer({ min: 2, max: 6 })
    const step = fc.record({ next: frames, above: aboves, width: widths, height, isKnown: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const paper = new PaperUnderTest(12, 6)
        const said: string[] = []
        let before = noFrame
        for (const { next, above, width, height, isKnown } of steps) {
          paper.resize(width, height)
          paper.write(frameUpdate(before, next, above, isKnown))
          said.push(...above)
          before = next
          // Of the frame there may be more left than should be: what is out of reach cannot be taken back.
          const kept = paper.above.join('\n').replace(/[^x-z\n]/g, '')
          expect(kept.split('\n').filter((line) => line !== '')).toEqual(said)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is not written again where it stays the same', () => {
    const before = ['a spinner', '> typed']
    expect(frameUpdate(before, before, [], false)).toBe('')
    expect(frameUpdate(before, ['b spinner', '> typed'], [], false)).not.toContain('typed')
    expect(frameUpdate(before, before, [], true)).toContain('typed')
  })
})
