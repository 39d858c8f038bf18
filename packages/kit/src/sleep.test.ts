import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { sleep } from './sleep.ts'

describe('sleep', () => {
  it('ends early when it is woken, and unsubscribes', async () => {
    const ringers = new Set<() => void>()
    const sleeping = sleep(Number.POSITIVE_INFINITY, {
      wake: (ring) => {
        ringers.add(ring)
        return () => ringers.delete(ring)
      },
    })
    for (const ring of ringers) ring()
    await sleeping
    expect(ringers.size).toBe(0)
  })

  it('rejects with the reason of the signal, before or during the sleep', async () => {
    const controller = new AbortController()
    const sleeping = sleep(60_000, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(sleeping).rejects.toThrow('enough')
    await expect(sleep(60_000, { signal: controller.signal })).rejects.toThrow('enough')
  })

  it('leaves no listener on a signal that outlives it', async () => {
    const { signal } = new AbortController()
    await sleep(1, { signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it.each([2 ** 31, 1e15, Number.MAX_VALUE])('does not treat %d ms as no time at all', async (ms) => {
    const controller = new AbortController()
    const sleeping = sleep(ms, { signal: controller.signal })
    const first = await Promise.race([sleeping.then(() => 'the long'), sleep(30).then(() => 'the short')])
    expect(first).toBe('the short')
    controller.abort(new Error('enough'))
    await expect(sleeping).rejects.toThrow('enough')
  })
})
