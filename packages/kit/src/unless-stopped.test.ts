import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { unlessStopped } from './unless-stopped.ts'

const never = new Promise<never>(() => {})

describe('work that can be stopped', () => {
  it('gives its result, or fails as it fails, and leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    expect(await unlessStopped(signal, Promise.resolve(7))).toBe(7)
    await expect(unlessStopped(signal, Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('is left with the reason of the signal, also of one that was aborted before', async () => {
    const stop = new AbortController()
    const working = unlessStopped(stop.signal, never)
    stop.abort(new Error('enough'))
    await expect(working).rejects.toThrow('enough')
    await expect(unlessStopped(stop.signal, never)).rejects.toThrow('enough')
  })

  it('may fail after it was left, and that is no unhandled rejection', async () => {
    const stop = new AbortController()
    let fail = (_: Error) => {}
    const work = new Promise<never>((_, reject) => {
      fail = reject
    })
    const working = unlessStopped(stop.signal, work)
    stop.abort(new Error('enough'))
    await expect(working).rejects.toThrow('enough')
    fail(new Error('too late'))
    // Vitest fails the run at an unhandled rejection.
    await new Promise(setImmediate)
    expect(getEventListeners(stop.signal, 'abort')).toEqual([])
  })
})
