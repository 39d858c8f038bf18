import { describe, expect, it } from 'vitest'
import { inParallel } from './in-parallel.ts'
import { sleep } from './sleep.ts'

describe('inParallel', () => {
  it('does everything once, and never more at a time than allowed', async () => {
    const done: number[] = []
    let under = 0
    let most = 0
    await inParallel([1, 2, 3, 4, 5, 6, 7], 3, undefined, async (item) => {
      most = Math.max(most, ++under)
      await sleep(1)
      under--
      done.push(item)
    })
    expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(most).toBe(3)
  })

  it('stops the others at the first failure, waits for them, and throws it', async () => {
    const started: number[] = []
    let letGo = 0
    const running = inParallel([1, 2, 3, 4], 2, undefined, async (item, signal) => {
      started.push(item)
      if (item === 2) throw new Error('two is bad')
      await sleep(60_000, { signal }).finally(() => letGo++)
    })
    await expect(running).rejects.toThrow('two is bad')
    expect(started).toEqual([1, 2])
    expect(letGo).toBe(1)
  })

  it('stops when it is told to', async () => {
    const controller = new AbortController()
    const running = inParallel([1, 2], 1, controller.signal, (_, signal) => sleep(60_000, { signal }))
    controller.abort(new Error('stop'))
    await expect(running).rejects.toThrow('stop')
  })
})
