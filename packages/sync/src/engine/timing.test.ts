import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { realTiming } from './timing.ts'

it('a signal has one listener for any number of waits, and wakes them all', async () => {
  const stop = new AbortController()
  await realTiming.sleep(1, stop.signal)
  const waiting = Array.from({ length: 50 }, () => realTiming.sleep(60_000, stop.signal))
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1)
  stop.abort(new Error('enough'))
  for (const one of await Promise.allSettled(waiting))
    expect(one).toMatchObject({ reason: new Error('enough') })
  await expect(realTiming.sleep(60_000, stop.signal)).rejects.toThrow('enough')
})
