import { describe, expect, it, vi } from 'vitest'
import { within } from './within.ts'

const never = new Promise<never>(() => {})

describe('work that may take so long', () => {
  it('gives its result, or fails as it fails', async () => {
    expect(await within(60_000, Promise.resolve(7))).toBe(7)
    await expect(within(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no')
  })

  it('is late after that time, and not before', async () => {
    vi.useFakeTimers()
    try {
      let came: string | undefined
      void within(1_000, never).then((result) => {
        came = result
      })
      await vi.advanceTimersByTimeAsync(999)
      expect(came).toBeUndefined()
      await vi.advanceTimersByTimeAsync(1)
      expect(came).toBe('late')
    } finally {
      vi.useRealTimers()
    }
  })

  it('leaves no timer behind', async () => {
    vi.useFakeTimers()
    try {
      await within(1_000, Promise.resolve())
      await within(1_000, Promise.reject(new Error('no'))).catch(() => {})
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
