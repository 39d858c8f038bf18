import { describe, expect, it } from 'vitest'
import { inBatches } from './in-batches.ts'

describe('a flush in batches', () => {
  it('flushes values that came together at once, and those that came meanwhile after that', async () => {
    const flushed: number[][] = []
    let release = () => {}
    const put = inBatches<number>(async (items) => {
      flushed.push(items)
      if (flushed.length === 1) {
        await new Promise<void>((resolve) => {
          release = resolve
        })
      }
    })
    const first = [put(1), put(2)]
    while (flushed.length === 0) await new Promise(setImmediate)
    const second = [put(3), put(4)]
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
    expect(flushed).toEqual([[1, 2]])
    release()
    await Promise.all([...first, ...second])
    expect(flushed).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  it('fails the callers whose flush failed, and no others', async () => {
    const put = inBatches<number>(async (items) => {
      if (items.includes(1)) throw new Error('disk full')
    })
    const failing = [put(1), put(2)]
    for (const put of failing) await expect(put).rejects.toThrow('disk full')
    await put(3)
  })
})
