import { getEventListeners } from 'node:events'
import { sleep } from '@farhand/kit/sleep'
import { describe, expect, it } from 'vitest'
import { Unreachable } from './refusal.ts'
import { watchdog } from './watchdog.ts'

const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve))

describe('watchdog', () => {
  it('aborts an exchange in which nothing arrives', async () => {
    const dog = watchdog(10, undefined)
    dog.expect()
    await aborted(dog.signal)
    expect(dog.signal.reason).toBeInstanceOf(Unreachable)
  })

  it.each([Number.POSITIVE_INFINITY, 2 ** 31])(
    'does not treat %d ms as no time at all',
    async (silenceMs) => {
      const dog = watchdog(silenceMs, undefined)
      dog.expect()
      await sleep(30)
      expect(dog.signal.aborted).toBe(false)
      dog.stop()
    },
  )

  it('removes its listener from the signal of the caller, and ends its own exchange', () => {
    const { signal } = new AbortController()
    const dog = watchdog(60_000, signal)
    dog.expect()
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    dog.stop()
    expect(getEventListeners(signal, 'abort')).toEqual([])
    expect(dog.signal.aborted).toBe(true)
  })

  it('passes on the reason of the caller', () => {
    const controller = new AbortController()
    const dog = watchdog(60_000, controller.signal)
    controller.abort(new Error('enough'))
    expect(dog.signal.reason).toMatchObject({ message: 'enough' })
    expect(watchdog(60_000, controller.signal).signal.aborted).toBe(true)
  })
})
