import { describe, expect, it } from 'vitest'
import { ConcurrencyLimit } from './concurrency-limit.ts'

describe('a concurrency limit', () => {
  it('lets a fixed number in, and the others later in the order in which they came', async () => {
    const limit = new ConcurrencyLimit(2)
    const inside: number[] = []
    const begun: number[] = []
    const leave: (() => void)[] = []
    const passing = [0, 1, 2, 3].map((n) =>
      limit.run(async () => {
        begun.push(n)
        inside.push(n)
        expect(inside.length).toBeLessThanOrEqual(2)
        await new Promise<void>((resolve) => {
          leave[n] = resolve
        })
        inside.splice(inside.indexOf(n), 1)
      }),
    )
    expect(begun).toEqual([0, 1])
    leave[1]!()
    await passing[1]
    leave[0]!()
    await passing[0]
    for (const n of [2, 3]) {
      leave[n]!()
      await passing[n]
    }
    expect(begun).toEqual([0, 1, 2, 3])
  })

  it('lets the next one in after a failure', async () => {
    const limit = new ConcurrencyLimit(1)
    const failing = limit.run(async () => {
      throw new Error('no')
    })
    const next = limit.run(async () => 'in')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('in')
  })
})
