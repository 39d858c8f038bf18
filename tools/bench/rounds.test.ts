import { describe, expect, it } from 'vitest'
import { interleave, number } from './rounds.ts'

const quiet = () => {}

describe('interleave', () => {
  it('takes turns instead of measuring one after the other', async () => {
    const turns: string[] = []
    const contender = (name: string) => ({
      name,
      measure: async () => {
        turns.push(name)
        return { 'events/s': turns.length }
      },
    })
    const figures = await interleave([contender('a'), contender('b')], 2, quiet, 0)
    expect(turns).toEqual(['a', 'b', 'a', 'b'])
    expect(figures[1]!.samples).toEqual([{ 'events/s': 2 }, { 'events/s': 4 }])
  })

  it('a warm-up is measured and forgotten', async () => {
    let turns = 0
    const figures = await interleave([{ name: 'a', measure: async () => ({ ms: ++turns }) }], 1, quiet, 2)
    expect(figures[0]!.samples).toEqual([{ ms: 3 }])
  })

  it('a contender that fails says why and does not stop the others', async () => {
    const broken = { name: 'broken', measure: () => Promise.reject(new Error('lost 3 events')) }
    const fine = { name: 'fine', measure: async () => ({ ms: 1 }) }
    const figures = await interleave(
      [broken, { name: 'absent', missing: 'not installed' }, fine],
      2,
      quiet,
      0,
    )
    expect(figures.map((figure) => figure.missing)).toEqual([
      'failed: lost 3 events',
      'not installed',
      undefined,
    ])
    expect(figures[2]!.samples).toHaveLength(2)
  })

  it('figures keep the digits that matter', () => {
    expect([12345.6, 45.67, 1.234, 0.01234].map(number)).toEqual(['12,346', '45.7', '1.23', '0.012'])
  })
})
