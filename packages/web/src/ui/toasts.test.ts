import { expect, it, onTestFinished, vi } from 'vitest'
import { currentToasts, keepToastsWhile, toast } from './toasts.ts'

const words = () => currentToasts().map(({ text }) => text)

it('a toast goes after a while, and stays while the pointer is on it, but not for ever', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  toast('soon gone')
  vi.advanceTimersByTime(10_000)
  expect(words()).toEqual([])

  let isPointedAt = true
  onTestFinished(keepToastsWhile(() => isPointedAt))
  toast('pointed at')
  vi.advanceTimersByTime(30_000)
  expect(words()).toEqual(['pointed at'])
  isPointedAt = false
  vi.advanceTimersByTime(2000)
  expect(words()).toEqual([])

  // A mouse was left there, or a phone only remembers the last touch.
  isPointedAt = true
  for (let nth = 0; nth < 100; nth += 1) {
    toast(`${nth}`)
    vi.advanceTimersByTime(10_000)
  }
  expect(words().length).toBeLessThan(40)
  expect(words().at(-1)).toBe('99')
})
